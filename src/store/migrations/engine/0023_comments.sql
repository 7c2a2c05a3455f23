CREATE TABLE `svc_comments` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`CompanyId` integer NOT NULL,
	`Entity` text NOT NULL,
	`RecordKey` text NOT NULL,
	`Object` text NOT NULL,
	`AuthorId` integer,
	`ImpersonatorId` integer,
	`Text` text NOT NULL,
	`Mentions` text NOT NULL,
	`RowVersion` integer NOT NULL,
	`CreatedAt` text NOT NULL,
	`ChangedAt` text,
	FOREIGN KEY (`CompanyId`) REFERENCES `svc_companies`(`Id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`AuthorId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `svc_comments_record` ON `svc_comments` (`Entity`,`RecordKey`,`CompanyId`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_comments_company` ON `svc_comments` (`CompanyId`);--> statement-breakpoint
CREATE INDEX `svc_comments_author` ON `svc_comments` (`AuthorId`);--> statement-breakpoint
CREATE TABLE `svc_followers` (
	`Entity` text NOT NULL,
	`RecordKey` text NOT NULL,
	`CompanyId` integer NOT NULL,
	`UserId` integer NOT NULL,
	PRIMARY KEY(`Entity`, `RecordKey`, `CompanyId`, `UserId`),
	FOREIGN KEY (`CompanyId`) REFERENCES `svc_companies`(`Id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_followers_company` ON `svc_followers` (`CompanyId`);--> statement-breakpoint
CREATE INDEX `svc_followers_user` ON `svc_followers` (`UserId`);