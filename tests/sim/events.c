#include "events.h"

#include "sim.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8192 };

/* A binary heap, the earliest event first. */
static event heap[MOST];
static int count;
static uint32_t order;

void events_clear(void)
{
	count = 0;
	order = 0;
}

static bool is_before(const event *a, const event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void events_add(int64_t time, event_kind kind, int subject, uint32_t generation, int64_t value)
{
	event added = {
		.time = time < sim_now ? sim_now : time,
		.order = order++,
		.kind = kind,
		.subject = subject,
		.generation = generation,
		.value = value
	};
	int at = count;

	if (time == SIM_NEVER) {
		return;
	}
	if (count == MOST) {
		fputs("tests/sim: too many events are planned\n", stderr);
		abort();
	}
	count++;
	while (at > 0 && is_before(&added, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = added;
}

bool events_take(event *next)
{
	event last;
	int at = 0;

	if (count == 0) {
		return false;
	}
	*next = heap[0];
	last = heap[--count];
	for (;;) {
		int child = 2 * at + 1;

		if (child >= count) {
			break;
		}
		if (child + 1 < count && is_before(&heap[child + 1], &heap[child])) {
			child++;
		}
		if (!is_before(&heap[child], &last)) {
			break;
		}
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return true;
}
