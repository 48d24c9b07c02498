#error "<sys/prctl.h> is a header of Linux"
