#error "<sys/timerfd.h> is a header of Linux"
