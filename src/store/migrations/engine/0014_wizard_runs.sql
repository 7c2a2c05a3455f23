CREATE TABLE `svc_wizard_runs` (
	`Id` text PRIMARY KEY NOT NULL,
	`Wizard` text NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`ApiKeyId` integer,
	`ImpersonatorId` integer,
	`Language` text,
	`Step` text NOT NULL,
	`Path` text NOT NULL,
	`Given` text NOT NULL,
	`VersionHash` text NOT NULL,
	`Version` integer NOT NULL,
	`CreatedAt` text NOT NULL,
	`ChangedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	`WarnedAt` text,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_wizard_runs_user` ON `svc_wizard_runs` (`UserId`,`CompanyId`,`ChangedAt`);--> statement-breakpoint
CREATE INDEX `svc_wizard_runs_expiry` ON `svc_wizard_runs` (`ExpiresAt`);