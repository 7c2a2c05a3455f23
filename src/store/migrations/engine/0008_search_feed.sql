CREATE TABLE `svc_search_feed` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Scope` integer NOT NULL,
	`RecordKey` text NOT NULL
);
