#error "<sys/sendfile.h> is a header of Linux"
