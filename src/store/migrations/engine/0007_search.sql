CREATE TABLE `svc_search_entries` (
	`Id` integer PRIMARY KEY NOT NULL,
	`Scope` integer NOT NULL,
	`RecordKey` text NOT NULL,
	`Hash` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_search_entries_key` ON `svc_search_entries` (`Scope`,`RecordKey`);--> statement-breakpoint
CREATE TABLE `svc_search_scopes` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`ViewId` integer NOT NULL,
	`CompanyId` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_search_scopes_view` ON `svc_search_scopes` (`ViewId`,`CompanyId`);--> statement-breakpoint
CREATE TABLE `svc_search_views` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`View` text NOT NULL,
	`Definition` text NOT NULL,
	`State` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_search_views_definition` ON `svc_search_views` (`View`,`Definition`);--> statement-breakpoint
CREATE TABLE `svc_search_work` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`ViewId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`Kind` text NOT NULL,
	`Keys` text,
	`Done` text
);
--> statement-breakpoint
CREATE INDEX `svc_search_work_view` ON `svc_search_work` (`ViewId`);--> statement-breakpoint
CREATE VIRTUAL TABLE `svc_search` USING fts5(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, tokenize='ascii', prefix='5 6 7', columnsize=0);
--> statement-breakpoint
CREATE VIRTUAL TABLE `svc_search_words` USING fts5vocab('svc_search', 'row');
