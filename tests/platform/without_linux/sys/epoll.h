#error "<sys/epoll.h> is a header of Linux"
