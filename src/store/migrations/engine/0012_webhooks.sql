CREATE TABLE `svc_webhook_deliveries` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`WebhookId` integer NOT NULL,
	`MessageId` text NOT NULL,
	`Event` text NOT NULL,
	`Object` text,
	`Action` text NOT NULL,
	`Keys` text,
	`Body` text,
	`TraceId` text,
	`At` text NOT NULL,
	`State` text NOT NULL,
	`Attempts` integer NOT NULL,
	`LastAt` text,
	`LastStatus` integer,
	`LastError` text,
	`JobId` integer,
	FOREIGN KEY (`WebhookId`) REFERENCES `svc_webhooks`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_webhook_deliveries_webhook` ON `svc_webhook_deliveries` (`WebhookId`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_webhook_deliveries_over` ON `svc_webhook_deliveries` (`At`) WHERE State <> 'pending';--> statement-breakpoint
CREATE TABLE `svc_webhooks` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`CompanyId` integer NOT NULL,
	`UserId` integer NOT NULL,
	`Url` text NOT NULL,
	`Events` text NOT NULL,
	`Active` integer NOT NULL,
	`Secret` text NOT NULL,
	`FormerSecret` text,
	`FormerUntil` text,
	`CreatedAt` text NOT NULL,
	`ChangedAt` text NOT NULL,
	`FailingSince` text,
	`OffReason` text,
	FOREIGN KEY (`CompanyId`) REFERENCES `svc_companies`(`Id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_webhooks_company` ON `svc_webhooks` (`CompanyId`,`Id`);