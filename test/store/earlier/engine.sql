CREATE TABLE `svc_companies` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Code` text NOT NULL,
	`Name` text NOT NULL,
	`TimeZone` text DEFAULT 'UTC' NOT NULL,
	`Active` integer DEFAULT true NOT NULL,
	`CreatedAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_companies_code` ON `svc_companies` (`Code`);--> statement-breakpoint
CREATE TABLE `svc_user_attributes` (
	`UserId` integer NOT NULL,
	`Name` text NOT NULL,
	`Value` text NOT NULL,
	PRIMARY KEY(`UserId`, `Name`),
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `svc_user_companies` (
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	PRIMARY KEY(`UserId`, `CompanyId`),
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`CompanyId`) REFERENCES `svc_companies`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_user_companies_company` ON `svc_user_companies` (`CompanyId`);--> statement-breakpoint
CREATE TABLE `svc_user_roles` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`UserId` integer NOT NULL,
	`Role` text NOT NULL,
	`CompanyId` integer,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`CompanyId`) REFERENCES `svc_companies`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_user_roles_user` ON `svc_user_roles` (`UserId`);--> statement-breakpoint
CREATE TABLE `svc_users` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`UserName` text NOT NULL,
	`UserNameKey` text NOT NULL,
	`DisplayName` text NOT NULL,
	`Email` text,
	`PasswordHash` text,
	`MustChangePassword` integer DEFAULT false NOT NULL,
	`Active` integer DEFAULT true NOT NULL,
	`TimeZone` text,
	`LastCompanyId` integer,
	`CreatedAt` text NOT NULL,
	`ChangedAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_users_name` ON `svc_users` (`UserNameKey`);--> statement-breakpoint
CREATE TABLE `svc_facts` (
	`Name` text PRIMARY KEY NOT NULL,
	`Value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `svc_scripts` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Type` text NOT NULL,
	`Name` text NOT NULL,
	`FileName` text NOT NULL,
	`Body` text NOT NULL,
	`VersionHash` text NOT NULL,
	`Document` text NOT NULL,
	`IsCurrent` integer NOT NULL,
	`ExecutedAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_scripts_current` ON `svc_scripts` (`IsCurrent`,`Type`,`Name`);--> statement-breakpoint
CREATE TABLE `svc_audit` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`At` text NOT NULL,
	`UserId` integer,
	`ImpersonatorId` integer,
	`CompanyId` integer,
	`Source` text NOT NULL,
	`TraceId` text,
	`Entity` text NOT NULL,
	`RecordKey` text NOT NULL,
	`Action` text NOT NULL,
	`Changes` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_audit_record` ON `svc_audit` (`Entity`,`RecordKey`);--> statement-breakpoint
CREATE TABLE `svc_keys` (
	`Kid` text PRIMARY KEY NOT NULL,
	`PublicJwk` text NOT NULL,
	`PrivateJwk` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`RetiredAt` text,
	`IsCurrent` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `svc_sequences` (
	`Name` text NOT NULL,
	`CompanyId` integer NOT NULL,
	`Period` text NOT NULL,
	`Last` integer NOT NULL,
	PRIMARY KEY(`Name`, `CompanyId`, `Period`)
);
--> statement-breakpoint
CREATE TABLE `svc_stamps` (
	`Entity` text NOT NULL,
	`RecordKey` text NOT NULL,
	`Stamp` integer NOT NULL,
	`Fields` text NOT NULL,
	`UserId` integer,
	`At` text NOT NULL,
	PRIMARY KEY(`Entity`, `RecordKey`, `Stamp`)
);
--> statement-breakpoint
CREATE TABLE `svc_outbox` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`At` text NOT NULL,
	`Kind` text NOT NULL,
	`CompanyId` integer,
	`UserId` integer,
	`Source` text NOT NULL,
	`Entity` text,
	`RecordKey` text,
	`Payload` text NOT NULL,
	`State` text NOT NULL,
	`Attempts` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_outbox_state` ON `svc_outbox` (`State`,`Id`);