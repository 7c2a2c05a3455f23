CREATE TABLE `svc_push_subscriptions` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`UserId` integer NOT NULL,
	`SessionId` text,
	`Endpoint` text NOT NULL,
	`P256dh` text NOT NULL,
	`Auth` text NOT NULL,
	`Mark` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text,
	`Failures` integer DEFAULT 0 NOT NULL,
	`RestUntil` text,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_push_subscriptions_mark` ON `svc_push_subscriptions` (`Mark`);--> statement-breakpoint
CREATE INDEX `svc_push_subscriptions_user` ON `svc_push_subscriptions` (`UserId`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_push_subscriptions_session` ON `svc_push_subscriptions` (`SessionId`);