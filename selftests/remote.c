// SPDX-License-Identifier: GPL-2.0
/*
 * usage: remote serve PORT
 *	  remote ADDRESS PORT 'COMMAND'
 *
 * For suites in two guests: one runs what the other asks for. The asker gets
 * the output and the exit code. Whoever reaches the port is obeyed, so it only
 * serves inside a guest.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 4096 };

static void die(const char *what)
{
	fprintf(stderr, "remote: ");
	perror(what);
	exit(255);
}

static struct sockaddr_in address_of(const char *address, const char *port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(port)),
	};

	if (address && inet_pton(AF_INET, address, &in.sin_addr) != 1)
		die(address);
	return in;
}

/* The command's output, a zero byte, its exit code and a newline. */
static void obey(int fd)
{
	char line[LINE], code[16];
	ssize_t got, length = 0;
	int status;
	pid_t pid;

	while (length < LINE - 1 && !memchr(line, '\n', length)) {
		got = read(fd, line + length, LINE - 1 - length);
		if (got <= 0)
			return;
		length += got;
	}
	line[length] = 0;
	pid = fork();
	if (!pid) {
		dup2(fd, 1);
		dup2(fd, 2);
		close(fd);
		execlp("bash", "bash", "-c", line, NULL);
		die("bash");
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return;
	code[0] = 0;
	snprintf(code + 1, sizeof(code) - 1, "%d\n",
		 WIFEXITED(status) ? WEXITSTATUS(status) : 254);
	if (write(fd, code, 1 + strlen(code + 1)) < 0)
		perror("remote");
}

static int serve(const char *port)
{
	struct sockaddr_in in = address_of(NULL, port);
	int one = 1, fd, asker;

	if (!getenv("LAB_GUEST")) {
		fputs("remote: serves only in a guest of the lab\n", stderr);
		return 255;
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)) || listen(fd, 8))
		die("listen");
	for (;;) {
		asker = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (asker < 0)
			die("accept");
		/* A command may take long, and others are asked meanwhile. */
		if (!fork()) {
			obey(asker);
			exit(0);
		}
		close(asker);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static int ask(const char *address, const char *port, const char *command)
{
	struct sockaddr_in in = address_of(address, port);
	FILE *answer;
	int fd, c;

	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&in, sizeof(in)) ||
	    dprintf(fd, "%s\n", command) < 0)
		die(address);
	answer = fdopen(fd, "r");
	while ((c = getc(answer)) > 0)
		putchar(c);
	/* What it left running may hold the connection; the code is the end. */
	if (c || fscanf(answer, "%d", &c) != 1)
		return 255;
	return c;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(argv[2]);
	if (argc == 4)
		return ask(argv[1], argv[2], argv[3]);
	fputs("usage: remote serve PORT | ADDRESS PORT 'COMMAND'\n", stderr);
	return 255;
}
