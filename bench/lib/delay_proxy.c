/*
 * Lets every byte between clients and servers take its time, like a network. For kernels without tc netem.
 *
 *     delay_proxy PATH UPSTREAM MICROSECONDS [PATH UPSTREAM MICROSECONDS ...]
 *
 * Listens on the unix socket PATH, passes everything on to the unix socket UPSTREAM, and lets each direction take half of
 * MICROSECONDS, so that a round trip takes that much longer. One process and one ppoll() for all of them, with a timer
 * slack of 1 ns. Says "ready" when it listens. Then it takes orders, a line each, and answers "done":
 *
 *     swallow N    from now on the connections of the pair N (0 is the first) lead nowhere, and nobody is told
 *     pass N       new ones work again; those that led nowhere are closed
 *
 * The end of its standard input ends it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NODES = 64, MAX_TUNNELS = 512, CHUNK = 16384 };

/* What was read at one moment, and when it may go on. */
typedef struct chunk {
	struct chunk *next;
	int64_t due;
	size_t length, written;
	char bytes[];
} chunk;

typedef struct way {
	chunk *first, **last;
	bool ended;            /* the side it comes from has closed */
} way;

/* One connection of a client, and the one to the server that belongs to it. */
typedef struct tunnel {
	int fd[2];             /* client, server */
	way from[2];
	int node;
	bool black;            /* it leads nowhere */
} tunnel;

typedef struct node {
	int listener;
	const char *upstream;
	int64_t delay;         /* of one direction, in ns */
	bool swallows;
} node;

static node nodes[MAX_NODES];
static int node_count;
static tunnel tunnels[MAX_TUNNELS];
static int tunnel_count;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

static int unix_socket(const char *path, struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(address->sun_path)) {
		die(path);
	}
	*address = (struct sockaddr_un) {.sun_family = AF_UNIX};
	memcpy(address->sun_path, path, strlen(path));
	return fd;
}

static void add_node(const char *path, const char *upstream, const char *microseconds)
{
	struct sockaddr_un address;
	int fd = unix_socket(path, &address);

	if (node_count == MAX_NODES || bind(fd, (struct sockaddr *) &address, sizeof(address)) != 0 || listen(fd, 511) != 0) {
		die(path);
	}
	nodes[node_count++] = (node) {fd, upstream, atoll(microseconds) * 1000 / 2, false};
}

static void accept_one(const node *from)
{
	struct sockaddr_un address;
	int client = accept4(from->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int server;

	if (client < 0) {
		return;
	}
	server = unix_socket(from->upstream, &address);
	if (tunnel_count == MAX_TUNNELS || connect(server, (struct sockaddr *) &address, sizeof(address)) != 0) {
		close(client);
		close(server);
		return;
	}
	tunnels[tunnel_count] = (tunnel) {.fd = {client, server}, .node = (int) (from - nodes), .black = from->swallows};
	tunnels[tunnel_count].from[0].last = &tunnels[tunnel_count].from[0].first;
	tunnels[tunnel_count].from[1].last = &tunnels[tunnel_count].from[1].first;
	tunnel_count++;
}

static void receive(tunnel *each, int side)
{
	static char bytes[CHUNK];
	ssize_t got = read(each->fd[side], bytes, sizeof(bytes));
	way *to = &each->from[side];
	chunk *added;

	if (got <= 0) {
		to->ended = got == 0 || (errno != EAGAIN && errno != EINTR);
		return;
	}
	if (each->black) {
		return;
	}
	added = malloc(sizeof(*added) + (size_t) got);
	if (added == NULL) {
		die("malloc");
	}
	added->next = NULL;
	added->due = now() + nodes[each->node].delay;
	added->length = (size_t) got;
	added->written = 0;
	memcpy(added->bytes, bytes, (size_t) got);
	*to->last = added;
	to->last = &added->next;
}

/* Passes on what is due. False: the other side does not take it any more. */
static bool pass_on(tunnel *each, int side, int64_t moment)
{
	way *from = &each->from[side];

	if (each->black) {
		return !from->ended;
	}
	while (from->first != NULL && from->first->due <= moment) {
		chunk *sent = from->first;
		ssize_t written = send(each->fd[1 - side], sent->bytes + sent->written, sent->length - sent->written, MSG_NOSIGNAL);

		if (written < 0) {
			return errno == EAGAIN || errno == EINTR;
		}
		sent->written += (size_t) written;
		if (sent->written == sent->length) {
			from->first = sent->next;
			if (from->first == NULL) {
				from->last = &from->first;
			}
			free(sent);
		}
	}
	return from->first != NULL || !from->ended;
}

static void end_tunnel(int index)
{
	tunnel *each = &tunnels[index];

	for (int side = 0; side < 2; side++) {
		close(each->fd[side]);
		while (each->from[side].first != NULL) {
			chunk *gone = each->from[side].first;

			each->from[side].first = gone->next;
			free(gone);
		}
	}
	*each = tunnels[--tunnel_count];
	for (int side = 0; side < 2; side++) {
		/* It points into itself when it is empty. */
		if (each->from[side].first == NULL) {
			each->from[side].last = &each->from[side].first;
		}
	}
}

/* Passes on what is due everywhere; answers when the next one is, INT64_MAX: nothing is under way. */
static int64_t move(void)
{
	int64_t moment = now(), next = INT64_MAX;

	for (int i = tunnel_count - 1; i >= 0; i--) {
		if (!pass_on(&tunnels[i], 0, moment) || !pass_on(&tunnels[i], 1, moment)) {
			end_tunnel(i);
		}
	}
	for (int i = 0; i < tunnel_count; i++) {
		for (int side = 0; side < 2; side++) {
			if (tunnels[i].from[side].first != NULL && tunnels[i].from[side].first->due < next) {
				next = tunnels[i].from[side].first->due;
			}
		}
	}
	return next;
}

static void obey(const char *order)
{
	bool swallows = strncmp(order, "swallow ", 8) == 0;
	int which = atoi(strchr(order, ' ') + 1);

	nodes[which].swallows = swallows;
	for (int i = tunnel_count - 1; i >= 0; i--) {
		if (tunnels[i].node == which && swallows) {
			tunnels[i].black = true;
		} else if (tunnels[i].node == which && tunnels[i].black) {
			end_tunnel(i);
		}
	}
	puts("done");
	fflush(stdout);
}

/* False: nobody will give an order any more. */
static bool take_orders(void)
{
	char orders[256];
	ssize_t got = read(STDIN_FILENO, orders, sizeof(orders) - 1);
	char *rest = orders;
	char *order;

	if (got <= 0) {
		return false;
	}
	orders[got] = '\0';
	while ((order = strsep(&rest, "\n")) != NULL) {
		if (strchr(order, ' ') != NULL) {
			obey(order);
		}
	}
	return true;
}

int main(int count, char **arguments)
{
	static struct pollfd watched[1 + MAX_NODES + 2 * MAX_TUNNELS];

	if (count < 4 || (count - 1) % 3 != 0) {
		fputs("usage: delay_proxy PATH UPSTREAM MICROSECONDS [...]\n", stderr);
		return 2;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	for (int i = 1; i < count; i += 3) {
		add_node(arguments[i], arguments[i + 1], arguments[i + 2]);
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		int64_t next = move(), moment = now();
		struct timespec wait = {0}, *timeout = NULL;
		int tunnels_now = tunnel_count, at = 0;

		if (next != INT64_MAX) {
			int64_t left = next > moment ? next - moment : 0;

			wait = (struct timespec) {left / 1000000000, left % 1000000000};
			timeout = &wait;
		}
		watched[at++] = (struct pollfd) {.fd = STDIN_FILENO, .events = POLLIN};
		for (int i = 0; i < node_count; i++) {
			watched[at++] = (struct pollfd) {.fd = nodes[i].listener, .events = POLLIN};
		}
		for (int i = 0; i < tunnels_now; i++) {
			for (int side = 0; side < 2; side++) {
				watched[at++] = (struct pollfd) {.fd = tunnels[i].from[side].ended ? -1 : tunnels[i].fd[side], .events = POLLIN};
			}
		}
		if (ppoll(watched, (nfds_t) at, timeout, NULL) <= 0) {
			continue;
		}
		for (int i = 0; i < tunnels_now; i++) {
			for (int side = 0; side < 2; side++) {
				if (watched[1 + node_count + 2 * i + side].revents != 0) {
					receive(&tunnels[i], side);
				}
			}
		}
		for (int i = 0; i < node_count; i++) {
			if (watched[1 + i].revents != 0) {
				accept_one(&nodes[i]);
			}
		}
		if (watched[0].revents != 0 && !take_orders()) {
			return 0;
		}
	}
}
