// SPDX-License-Identifier: GPL-2.0
/*
 * usage: nfs_locks MOUNT/FILE EXPORT/FILE
 *
 * A lock taken through the mount is seen on the server's own file, just as long
 * as it is, and the other way round. Exits 0 when all of it holds.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void expect(int right, const char *what)
{
	if (right)
		return;
	printf("%s\n", what);
	failures++;
}

static int lock(int fd, int command, int type, off_t start, off_t length)
{
	struct flock l = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = start,
		.l_len = length,
	};

	return fcntl(fd, command, &l);
}

/* Is [start, start + length) locked by somebody else? */
static int is_locked(int fd, off_t start, off_t length)
{
	struct flock l = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = start,
		.l_len = length,
	};

	if (fcntl(fd, F_GETLK, &l)) {
		perror("F_GETLK");
		exit(1);
	}
	return l.l_type != F_UNLCK;
}

static int open_rw(const char *path)
{
	int fd = open(path, O_RDWR);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

/* A process that locks the server's file until it is killed. */
static pid_t hold(const char *path)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (!pid) {
		if (lock(open_rw(path), F_SETLK, F_WRLCK, 0, 10))
			perror("the server's own lock");
		if (write(ready[1], "", 1) != 1)
			exit(1);
		pause();
		exit(0);
	}
	if (read(ready[0], &c, 1) != 1)
		exit(1);
	return pid;
}

static void release(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int client, server;
	pid_t pid, waker;

	if (argc != 3) {
		fprintf(stderr, "usage: nfs_locks MOUNT/FILE EXPORT/FILE\n");
		return 2;
	}
	client = open_rw(argv[1]);
	server = open_rw(argv[2]);

	expect(!is_locked(server, 0, 0), "the file is locked before anybody did");
	expect(!lock(client, F_SETLK, F_WRLCK, 100, 50), "no lock through the mount");
	expect(is_locked(server, 149, 1), "the server does not see the lock");
	expect(!is_locked(server, 0, 100), "the server sees a lock before it");
	expect(!is_locked(server, 150, 1000), "the server sees a lock behind it");
	expect(!lock(client, F_SETLK, F_UNLCK, 100, 50), "no unlock through the mount");
	expect(!is_locked(server, 0, 0), "the server still sees the lock");

	pid = hold(argv[2]);
	expect(is_locked(client, 5, 1), "the mount does not see the server's lock");
	expect(lock(client, F_SETLK, F_WRLCK, 5, 10) < 0, "two locks on one range");
	expect(!lock(client, F_SETLK, F_WRLCK, 10, 10), "no lock beside the server's");

	waker = fork();
	if (!waker) {
		poll(NULL, 0, 500);
		kill(pid, SIGKILL);
		_exit(0);
	}
	alarm(60);
	expect(!lock(client, F_SETLKW, F_WRLCK, 0, 10), "who waits does not get the lock");
	expect(is_locked(server, 0, 1), "the server does not see who waited");
	waitpid(waker, NULL, 0);
	release(pid);

	close(client);
	expect(!is_locked(server, 0, 0), "the lock outlives the file it was taken by");
	return failures ? 1 : 0;
}
