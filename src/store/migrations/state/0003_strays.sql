CREATE TABLE `svc_strays` (
	`Path` text PRIMARY KEY NOT NULL,
	`Since` text NOT NULL
);
