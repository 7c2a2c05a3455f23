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
CREATE INDEX `svc_users_email` ON `svc_users` (`Email`);--> statement-breakpoint
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
	`ExecutedAt` text NOT NULL,
	`Origin` text DEFAULT 'deploy' NOT NULL,
	`ExecutedBy` integer
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
	`Changes` text NOT NULL,
	`Hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_audit_record` ON `svc_audit` (`Entity`,`RecordKey`);--> statement-breakpoint
CREATE INDEX `svc_audit_user` ON `svc_audit` (`UserId`);--> statement-breakpoint
CREATE INDEX `svc_audit_impersonator` ON `svc_audit` (`ImpersonatorId`) WHERE ImpersonatorId IS NOT NULL;--> statement-breakpoint
CREATE INDEX `svc_audit_at` ON `svc_audit` (`At`);--> statement-breakpoint
CREATE TABLE `svc_keys` (
	`Kid` text PRIMARY KEY NOT NULL,
	`Use` text DEFAULT 'sig' NOT NULL,
	`PublicJwk` text NOT NULL,
	`PrivateJwk` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`RetiredAt` text,
	`IsCurrent` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `svc_reservations` (
	`Name` text NOT NULL,
	`CompanyId` integer NOT NULL,
	`Period` text NOT NULL,
	`Number` integer NOT NULL,
	`Text` text NOT NULL,
	`Day` text NOT NULL,
	`UserId` integer NOT NULL,
	`ExpiresAt` text NOT NULL,
	PRIMARY KEY(`Name`, `CompanyId`, `Period`, `Number`)
);
--> statement-breakpoint
CREATE INDEX `svc_reservations_user` ON `svc_reservations` (`UserId`,`Name`,`Text`);--> statement-breakpoint
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
	`Attempts` integer NOT NULL,
	`DueAt` text
);
--> statement-breakpoint
CREATE INDEX `svc_outbox_state` ON `svc_outbox` (`State`,`Kind`,`Id`);--> statement-breakpoint
CREATE TABLE `svc_mfa` (
	`UserId` integer PRIMARY KEY NOT NULL,
	`Secret` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ConfirmedAt` text,
	`LastStep` integer,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `svc_recovery_codes` (
	`Hash` text PRIMARY KEY NOT NULL,
	`UserId` integer NOT NULL,
	`UsedAt` text,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_recovery_codes_user` ON `svc_recovery_codes` (`UserId`);--> statement-breakpoint
CREATE TABLE `svc_idempotency` (
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`Key` text NOT NULL,
	`Route` text NOT NULL,
	`RequestHash` text NOT NULL,
	`Status` integer NOT NULL,
	`Body` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	PRIMARY KEY(`UserId`, `CompanyId`, `Key`)
);
--> statement-breakpoint
CREATE INDEX `svc_idempotency_expiry` ON `svc_idempotency` (`ExpiresAt`);--> statement-breakpoint
CREATE TABLE `svc_import_rows` (
	`Row` integer PRIMARY KEY NOT NULL,
	`RowKey` text NOT NULL,
	`Before` text,
	`After` text
);
--> statement-breakpoint
CREATE TABLE `svc_imports` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`ViewName` text NOT NULL,
	`Entity` text NOT NULL,
	`FileName` text NOT NULL,
	`Mode` text NOT NULL,
	`Inserted` integer NOT NULL,
	`Updated` integer NOT NULL,
	`At` text NOT NULL,
	`UndoneAt` text,
	`ExpiresAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_imports_expiry` ON `svc_imports` (`ExpiresAt`);--> statement-breakpoint
CREATE TABLE `svc_files` (
	`Path` text NOT NULL,
	`Entity` text NOT NULL,
	`RecordKey` text NOT NULL,
	`Field` text NOT NULL,
	`CompanyId` integer,
	`FileName` text NOT NULL,
	`ContentType` text NOT NULL,
	`Size` integer NOT NULL,
	`Sha256` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`CreatedBy` integer,
	PRIMARY KEY(`Path`, `Entity`, `RecordKey`, `Field`)
);
--> statement-breakpoint
CREATE INDEX `svc_files_record` ON `svc_files` (`Entity`,`RecordKey`);--> statement-breakpoint
CREATE TABLE `svc_uploads` (
	`Key` text PRIMARY KEY NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`Entity` text NOT NULL,
	`Field` text NOT NULL,
	`FileName` text NOT NULL,
	`ContentType` text NOT NULL,
	`Size` integer NOT NULL,
	`Sha256` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_uploads_user` ON `svc_uploads` (`UserId`,`ExpiresAt`);--> statement-breakpoint
CREATE INDEX `svc_uploads_expiry` ON `svc_uploads` (`ExpiresAt`);