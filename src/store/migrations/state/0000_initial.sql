CREATE TABLE `svc_devices` (
	`UserId` integer NOT NULL,
	`Fingerprint` text NOT NULL,
	`FirstSeenAt` text NOT NULL,
	`LastSeenAt` text NOT NULL,
	PRIMARY KEY(`UserId`, `Fingerprint`)
);
--> statement-breakpoint
CREATE TABLE `svc_mfa_challenges` (
	`Hash` text PRIMARY KEY NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`PasswordMark` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	`Failures` integer DEFAULT 0 NOT NULL,
	`EndedAt` text
);
--> statement-breakpoint
CREATE INDEX `svc_mfa_challenges_expiry` ON `svc_mfa_challenges` (`ExpiresAt`);--> statement-breakpoint
CREATE TABLE `svc_password_resets` (
	`Hash` text PRIMARY KEY NOT NULL,
	`UserId` integer NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	`UsedAt` text
);
--> statement-breakpoint
CREATE INDEX `svc_password_resets_expiry` ON `svc_password_resets` (`ExpiresAt`);--> statement-breakpoint
CREATE TABLE `svc_refresh_tokens` (
	`Hash` text PRIMARY KEY NOT NULL,
	`SessionId` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	`UsedAt` text,
	`ReplacedBy` text
);
--> statement-breakpoint
CREATE INDEX `svc_refresh_tokens_session` ON `svc_refresh_tokens` (`SessionId`);--> statement-breakpoint
CREATE INDEX `svc_refresh_tokens_expiry` ON `svc_refresh_tokens` (`ExpiresAt`);--> statement-breakpoint
CREATE TABLE `svc_sessions` (
	`Id` text PRIMARY KEY NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`Client` text,
	`Address` text,
	`CreatedAt` text NOT NULL,
	`LastUsedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	`EndedAt` text,
	`EndedBecause` text,
	`ImpersonatorId` integer,
	`ImpersonatorSessionId` text,
	`ImpersonationReason` text
);
--> statement-breakpoint
CREATE INDEX `svc_sessions_user` ON `svc_sessions` (`UserId`);--> statement-breakpoint
CREATE INDEX `svc_sessions_expiry` ON `svc_sessions` (`ExpiresAt`);--> statement-breakpoint
CREATE TABLE `svc_throttles` (
	`Subject` text PRIMARY KEY NOT NULL,
	`WindowStart` text NOT NULL,
	`Failures` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_throttles_window` ON `svc_throttles` (`WindowStart`);--> statement-breakpoint
CREATE TABLE `svc_exports` (
	`Name` text PRIMARY KEY NOT NULL,
	`CompanyId` integer NOT NULL,
	`UserId` integer NOT NULL,
	`ShownName` text NOT NULL,
	`ContentType` text NOT NULL,
	`Size` integer NOT NULL,
	`Sha256` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_exports_expiry` ON `svc_exports` (`ExpiresAt`);