CREATE TABLE `svc_assistant_tokens` (
	`Day` text NOT NULL,
	`UserId` integer NOT NULL,
	`Tokens` integer NOT NULL,
	PRIMARY KEY(`Day`, `UserId`)
);
