CREATE TABLE `svc_former_keys` (
	`Entity` text NOT NULL,
	`RecordKey` text NOT NULL,
	`FormerEntity` text NOT NULL,
	`FormerKey` text NOT NULL,
	`AuditId` integer NOT NULL,
	PRIMARY KEY(`Entity`, `RecordKey`, `AuditId`)
);
--> statement-breakpoint
CREATE INDEX `svc_former_keys_entity` ON `svc_former_keys` (`Entity`,`AuditId`);--> statement-breakpoint
CREATE TABLE `svc_migrations` (
	`Name` text PRIMARY KEY NOT NULL,
	`Hash` text NOT NULL,
	`At` text NOT NULL
);
