#error "<sys/eventfd.h> is a header of Linux"
