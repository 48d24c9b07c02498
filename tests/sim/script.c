#include "script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lua_State *lua;
static int compiled[RL_SCRIPT_COUNT];
static store *current;

static void stop(const char *what)
{
	fprintf(stderr, "tests/sim: a script: %s\n", what);
	abort();
}

/* {[field] = text}, Redis' form of a status and of an error. */
static void push_table(lua_State *state, const char *field, store_text text)
{
	lua_createtable(state, 0, 1);
	lua_pushlstring(state, text.data, text.length);
	lua_setfield(state, -2, field);
}

static void push_time(lua_State *state, int64_t time)
{
	char text[32];

	lua_createtable(state, 2, 0);
	snprintf(text, sizeof(text), "%lld", (long long) (time / 1000000));
	lua_pushstring(state, text);
	lua_rawseti(state, -2, 1);
	snprintf(text, sizeof(text), "%lld", (long long) (time % 1000000));
	lua_pushstring(state, text);
	lua_rawseti(state, -2, 2);
}

static store_kind run_command(lua_State *state)
{
	store_text arguments[STORE_ARGUMENTS];
	char numbers[STORE_ARGUMENTS][24];
	int count = lua_gettop(state);
	store_result result;

	if (count > STORE_ARGUMENTS) {
		stop("more arguments than any command has");
	}
	for (int i = 0; i < count; i++) {
		if (lua_type(state, i + 1) == LUA_TNUMBER) {
			/* Whole, all of them. */
			arguments[i].data = numbers[i];
			arguments[i].length = (size_t) snprintf(numbers[i], sizeof(numbers[i]), "%lld",
				(long long) lua_tonumber(state, i + 1));
		} else if (lua_type(state, i + 1) == LUA_TSTRING) {
			arguments[i].data = lua_tolstring(state, i + 1, &arguments[i].length);
		} else {
			stop("an argument of redis.call() is neither a string nor a number");
		}
	}
	result = store_run(current, arguments, count);
	switch (result.kind) {
		case STORE_NIL:
			lua_pushboolean(state, 0);
			break;
		case STORE_OK:
			push_table(state, "ok", (store_text) {"OK", 2});
			break;
		case STORE_INTEGER:
			lua_pushnumber(state, (lua_Number) result.integer);
			break;
		case STORE_STRING:
			lua_pushlstring(state, result.text.data, result.text.length);
			break;
		case STORE_TIME:
			push_time(state, result.integer);
			break;
		case STORE_ERROR:
			push_table(state, "err", result.text);
			break;
	}
	return result.kind;
}

static int redis_pcall(lua_State *state)
{
	run_command(state);
	return 1;
}

static int redis_call(lua_State *state)
{
	return run_command(state) == STORE_ERROR ? lua_error(state) : 1;
}

static int redis_error_reply(lua_State *state)
{
	size_t length;
	const char *text = luaL_checklstring(state, 1, &length);

	push_table(state, "err", (store_text) {text, length});
	return 1;
}

/* Redis refuses globals: a script could not have one by mistake. */
static int refuse_global(lua_State *state)
{
	return luaL_error(state, "the script uses the global variable '%s'", luaL_checkstring(state, 2));
}

static void guard_globals(void)
{
	lua_createtable(lua, 0, 2);
	lua_pushcfunction(lua, refuse_global);
	lua_setfield(lua, -2, "__newindex");
	lua_pushcfunction(lua, refuse_global);
	lua_setfield(lua, -2, "__index");
	lua_setmetatable(lua, LUA_GLOBALSINDEX);
}

void script_begin(void)
{
	static const luaL_Reg functions[] = {
		{"call", redis_call}, {"pcall", redis_pcall}, {"error_reply", redis_error_reply}, {NULL, NULL}
	};

	lua = luaL_newstate();
	if (lua == NULL) {
		stop("no memory for Lua");
	}
	luaL_openlibs(lua);
	luaL_register(lua, "redis", functions);
	lua_pop(lua, 1);
	lua_pushboolean(lua, 0);
	lua_setglobal(lua, "KEYS");
	lua_pushboolean(lua, 0);
	lua_setglobal(lua, "ARGV");
	guard_globals();
	for (int i = 0; i < RL_SCRIPT_COUNT; i++) {
		const rl_script *script = rl_script_get((rl_script_id) i);

		if (luaL_loadbuffer(lua, script->text, script->length, script->name) != 0) {
			stop(lua_tostring(lua, -1));
		}
		compiled[i] = luaL_ref(lua, LUA_REGISTRYINDEX);
	}
}

static void append(rl_buffer *reply, const char *data, size_t length)
{
	if (!rl_buffer_append(reply, data, length)) {
		stop("no memory");
	}
}

static void append_bulk(rl_buffer *reply, const char *data, size_t length)
{
	char head[32];

	append(reply, head, (size_t) snprintf(head, sizeof(head), "$%zu\r\n", length));
	append(reply, data, length);
	append(reply, "\r\n", 2);
}

static void append_integer(rl_buffer *reply, lua_Number number)
{
	char text[32];

	append(reply, text, (size_t) snprintf(text, sizeof(text), ":%lld\r\n", (long long) number));
}

/* A value that is no table. */
static void append_scalar(rl_buffer *reply, int at)
{
	size_t length;
	const char *text;

	switch (lua_type(lua, at)) {
		case LUA_TSTRING:
			text = lua_tolstring(lua, at, &length);
			append_bulk(reply, text, length);
			break;
		case LUA_TNUMBER:
			append_integer(reply, lua_tonumber(lua, at));
			break;
		case LUA_TBOOLEAN:
			append(reply, lua_toboolean(lua, at) ? ":1\r\n" : "$-1\r\n", lua_toboolean(lua, at) ? 4 : 5);
			break;
		default:
			stop("its answer holds something that no reply can");
	}
}

/* {err = text}. False: it is not one. */
static bool append_error(rl_buffer *reply, int at)
{
	size_t length;
	const char *text;

	lua_getfield(lua, at, "err");
	text = lua_tolstring(lua, -1, &length);
	if (text != NULL) {
		append(reply, "-", 1);
		append(reply, text, length);
		append(reply, "\r\n", 2);
	}
	lua_pop(lua, 1);
	return text != NULL;
}

/* What the script returned is on the top of the stack. */
static void append_reply(rl_buffer *reply)
{
	int at = lua_gettop(lua);
	int count = 0;
	char head[32];

	if (!lua_istable(lua, at)) {
		append_scalar(reply, at);
		return;
	}
	if (append_error(reply, at)) {
		return;
	}
	/* An array ends where the first nil is. */
	for (;; count++) {
		lua_rawgeti(lua, at, count + 1);
		if (lua_isnil(lua, -1)) {
			break;
		}
	}
	append(reply, head, (size_t) snprintf(head, sizeof(head), "*%d\r\n", count));
	for (int i = 0; i < count; i++) {
		append_scalar(reply, at + 1 + i);
	}
}

static void set_table(const char *name, const store_text *texts, int count)
{
	lua_createtable(lua, count, 0);
	for (int i = 0; i < count; i++) {
		lua_pushlstring(lua, texts[i].data, texts[i].length);
		lua_rawseti(lua, -2, i + 1);
	}
	lua_setglobal(lua, name);
}

void script_run(rl_script_id id, store *on, const store_text *arguments, int key_count, int count, rl_buffer *reply)
{
	current = on;
	set_table("KEYS", arguments, key_count);
	set_table("ARGV", arguments + key_count, count - key_count);
	lua_rawgeti(lua, LUA_REGISTRYINDEX, compiled[id]);
	if (lua_pcall(lua, 0, 1, 0) != 0 && !lua_istable(lua, -1)) {
		/* Not an error of a command: the script itself is wrong. */
		stop(lua_tostring(lua, -1));
	}
	append_reply(reply);
	lua_settop(lua, 0);
}
