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
	`EndedBecause` text
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
CREATE INDEX `svc_throttles_window` ON `svc_throttles` (`WindowStart`);