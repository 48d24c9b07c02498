#error "<sys/signalfd.h> is a header of Linux"
