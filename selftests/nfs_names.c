// SPDX-License-Identifier: GPL-2.0
/*
 * usage: nfs_names MOUNT EXPORT 3|4.0|4.1|4.2
 *
 * Calls and replies that are long without being data: folders of long names,
 * long symbolic links, access control lists (version 3), extended attributes
 * (version 4.2), made on one side and compared on the other. Exits 0 when all
 * is equal.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
	PATH = 8192,
	NAMES = 700,
	ACL_USERS = 300,	/* NFSD takes and gives a page at most */
	LIST = 4 + 8 * (ACL_USERS + 5),
};

static const size_t target_lengths[] = {
	1, 100, 599, 600, 601, 602, 999, 1000, 1001, 1023, 2048, 3000, 3999, 4000, 4094, 4095,
};

static int failures;

static void fail(const char *what, const char *which)
{
	printf("%s: %.100s\n", what, which);
	if (++failures > 10)
		exit(1);
}

static void die(const char *what)
{
	printf("%.200s: %s\n", what, strerror(errno));
	exit(1);
}

/* A name of 8 to 255 bytes that begins with its number. */
static void name_of(char *to, int i)
{
	int n = 8 + i * 37 % 248;

	memset(to, 'a' + i % 26, n);
	to[n] = 0;
	sprintf(to, "n%06d", i);
	to[7] = '-';
}

static void make_names(const char *dir, int from, int to)
{
	char path[PATH], name[256];
	int i, fd;

	for (i = from; i < to; i++) {
		name_of(name, i);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0666);
		if (fd < 0)
			die(path);
		close(fd);
	}
}

static void look_for_names(const char *dir, int n)
{
	unsigned char *seen = calloc(n, 1);
	char name[256];
	struct dirent *e;
	DIR *d;
	int i;

	d = opendir(dir);
	if (!d)
		die(dir);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		i = atoi(e->d_name + 1);
		name_of(name, i < 0 || i >= n ? 0 : i);
		if (strcmp(name, e->d_name))
			fail("a name that nobody made", e->d_name);
		else if (seen[i]++)
			fail("a name twice", e->d_name);
	}
	closedir(d);
	for (i = 0; i < n; i++) {
		name_of(name, i);
		if (!seen[i])
			fail("a name is missing", name);
	}
	free(seen);
}

/* Some through the mount, the others on the server, read on the other side. */
static void test_names(const char *mnt, const char *exp)
{
	char client[PATH], server[PATH];

	snprintf(client, sizeof(client), "%s/names", mnt);
	snprintf(server, sizeof(server), "%s/names", exp);
	if (mkdir(client, 0777))
		die(client);
	make_names(client, 0, NAMES / 10);
	look_for_names(server, NAMES / 10);
	make_names(server, NAMES / 10, NAMES);
	look_for_names(client, NAMES);
}

static void test_link(const char *makes, const char *reads, const char *name,
		      size_t length)
{
	char path[PATH], target[PATH], is[PATH];
	ssize_t n;
	size_t i;

	for (i = 0; i < length; i++)
		target[i] = i % 50 == 49 ? '/' : 'a' + (i * 7 + length) % 26;
	target[length] = 0;
	snprintf(path, sizeof(path), "%s/%s%zu", makes, name, length);
	if (symlink(target, path))
		die(path);
	snprintf(path, sizeof(path), "%s/%s%zu", reads, name, length);
	n = readlink(path, is, sizeof(is));
	if (n < 0)
		die(path);
	if ((size_t)n != length || memcmp(is, target, length))
		fail("a symbolic link differs", path);
}

static void test_links(const char *mnt, const char *exp)
{
	size_t i;

	for (i = 0; i < sizeof(target_lengths) / sizeof(*target_lengths); i++) {
		test_link(mnt, exp, "made-by-client-", target_lengths[i]);
		test_link(exp, mnt, "made-by-server-", target_lengths[i]);
	}
}

static uint8_t *put(uint8_t *p, unsigned int tag, unsigned int perm, uint32_t id)
{
	uint32_t words[2] = { tag | perm << 16, id };

	memcpy(p, words, sizeof(words));
	return p + sizeof(words);
}

/* The kernel's form of an access control list, version 2, little endian. */
static size_t make_list(uint8_t *to, unsigned int seed)
{
	uint8_t *p = to;
	unsigned int i;

	memcpy(p, "\2\0\0\0", 4);
	p = put(p + 4, 0x01, 7, ~0U);
	for (i = 0; i < ACL_USERS; i++)
		p = put(p, 0x02, (i + seed) % 8, 1000 + i * 3);
	p = put(p, 0x04, 5, ~0U);
	p = put(p, 0x10, 7, ~0U);
	p = put(p, 0x20, 0, ~0U);
	return p - to;
}

static void test_attribute(const char *makes, const char *reads, const char *file,
			   const char *attribute, const void *value, size_t n)
{
	char path[PATH], is[PATH];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", makes, file);
	fd = open(path, O_CREAT | O_WRONLY, 0666);
	if (fd < 0)
		die(path);
	close(fd);
	if (setxattr(path, attribute, value, n, 0))
		die(path);
	snprintf(path, sizeof(path), "%s/%s", reads, file);
	got = getxattr(path, attribute, is, sizeof(is));
	if (got < 0)
		die(path);
	if ((size_t)got != n || memcmp(is, value, n))
		fail("an attribute differs", path);
}

static uint8_t *put_word(uint8_t *p, uint32_t word)
{
	*p++ = word >> 24;
	*p++ = word >> 16;
	*p++ = word >> 8;
	*p++ = word;
	return p;
}

/* One who is allowed (RFC 7530, section 6.2.1): read 1, write 6, execute 32. */
static uint8_t *put_who(uint8_t *p, const char *who, unsigned int perm)
{
	size_t n = strlen(who);

	p = put_word(p, 0);
	p = put_word(p, 0);
	p = put_word(p, (perm & 4 ? 1 : 0) | (perm & 2 ? 6 : 0) | (perm & 1 ? 32 : 0));
	p = put_word(p, n);
	memset(p, 0, 8);
	memcpy(p, who, n);
	return p + (n + 3) / 4 * 4;
}

/* A list of version 4 is one of the file system's on the server. */
static void test_list(const char *mnt, const char *exp)
{
	uint8_t value[PATH], *p = value, is[PATH];
	char path[PATH], who[16];
	unsigned int i, users = 60;
	ssize_t n, at;
	int fd;

	p = put_word(p, users + 2);
	p = put_who(p, "OWNER@", 6);
	for (i = 0; i < users; i++) {
		sprintf(who, "%u", 1000 + i);
		p = put_who(p, who, i % 8);
	}
	p = put_who(p, "GROUP@", 4);

	snprintf(path, sizeof(path), "%s/list", mnt);
	fd = open(path, O_CREAT | O_WRONLY, 0666);
	if (fd < 0)
		die(path);
	close(fd);
	if (setxattr(path, "system.nfs4_acl", value, p - value, 0))
		die(path);
	if (getxattr(path, "system.nfs4_acl", is, sizeof(is)) <= 16 * (ssize_t)users)
		fail("a list is shorter than it was", path);

	snprintf(path, sizeof(path), "%s/list", exp);
	n = getxattr(path, "system.posix_acl_access", is, sizeof(is));
	if (n < 0)
		die(path);
	for (i = 0, at = 4; at + 8 <= n; at += 8) {
		if (is[at] != 0x02)
			continue;
		if (is[at + 2] != i % 8 || is[at + 4] + 256 * is[at + 5] != (int)(1000 + i))
			fail("an entry of a list differs", path);
		i++;
	}
	if (i != users)
		fail("entries of a list are missing", path);
}

static void test_attributes(const char *mnt, const char *exp, const char *version)
{
	uint8_t value[LIST];
	size_t n, i;

	if (!strcmp(version, "3")) {
		n = make_list(value, 1);
		test_attribute(mnt, exp, "list-by-client", "system.posix_acl_access", value, n);
		n = make_list(value, 2);
		test_attribute(exp, mnt, "list-by-server", "system.posix_acl_access", value, n);
		return;
	}
	test_list(mnt, exp);
	if (!strcmp(version, "4.2")) {
		for (i = 0; i < sizeof(value); i++)
			value[i] = i * 13 + (i >> 8);
		test_attribute(mnt, exp, "value-by-client", "user.long", value, sizeof(value));
		test_attribute(exp, mnt, "value-by-server", "user.long", value, sizeof(value) - 1);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: nfs_names MOUNT EXPORT 3|4.0|4.1|4.2\n");
		return 2;
	}
	test_names(argv[1], argv[2]);
	test_links(argv[1], argv[2]);
	test_attributes(argv[1], argv[2], argv[3]);
	return failures ? 1 : 0;
}
