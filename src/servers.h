/* The servers of a client: one, or the nodes of a quorum. */
#ifndef PHP_REDISLOCK_SERVERS_H
#define PHP_REDISLOCK_SERVERS_H

#include "../php_redislock.h"

#include "core/rl_call.h"

typedef struct php_redislock_servers {
	rl_endpoint **items;
	uint32_t count;
} php_redislock_servers;

/*
 * Reads DSNs, from a text in which commas separate them or, text is NULL, from an array of strings. The list is to be
 * freed in either case. False: error says what is wrong.
 */
bool php_redislock_read_servers(php_redislock_servers *list, zend_string *text, HashTable *array, rl_error *error);

void php_redislock_free_servers(php_redislock_servers *list);

/* A new string: the servers as they are given in a setting, without passwords. */
zend_string *php_redislock_mask_servers(zend_string *servers);

#endif
