CREATE TABLE `svc_api_keys` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`UserId` integer NOT NULL,
	`Name` text NOT NULL,
	`KeyHash` text NOT NULL,
	`Roles` text NOT NULL,
	`Companies` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`CreatedBy` integer,
	`ExpiresAt` text NOT NULL,
	`RevokedAt` text,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_api_keys_KeyHash_unique` ON `svc_api_keys` (`KeyHash`);--> statement-breakpoint
CREATE INDEX `svc_api_keys_user` ON `svc_api_keys` (`UserId`);--> statement-breakpoint
ALTER TABLE `svc_jobs` ADD `ApiKeyId` integer;--> statement-breakpoint
ALTER TABLE `svc_outbox` ADD `ApiKeyId` integer;