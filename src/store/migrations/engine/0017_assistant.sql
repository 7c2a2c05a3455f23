CREATE TABLE `svc_assistant_conversations` (
	`Id` text PRIMARY KEY NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`ApiKeyId` integer,
	`ImpersonatorId` integer,
	`Title` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`UpdatedAt` text NOT NULL,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_assistant_conversations_user` ON `svc_assistant_conversations` (`UserId`,`CompanyId`,`UpdatedAt`);--> statement-breakpoint
CREATE INDEX `svc_assistant_conversations_age` ON `svc_assistant_conversations` (`UpdatedAt`);--> statement-breakpoint
CREATE TABLE `svc_assistant_messages` (
	`Id` text PRIMARY KEY NOT NULL,
	`ConversationId` text NOT NULL,
	`Question` text NOT NULL,
	`Object` text,
	`Items` text NOT NULL,
	`RightsHash` text NOT NULL,
	`Provider` text NOT NULL,
	`Tokens` integer NOT NULL,
	`Rating` integer,
	`Comment` text,
	`CreatedAt` text NOT NULL,
	FOREIGN KEY (`ConversationId`) REFERENCES `svc_assistant_conversations`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_assistant_messages_conversation` ON `svc_assistant_messages` (`ConversationId`,`Id`);--> statement-breakpoint
CREATE TABLE `svc_assistant_proposals` (
	`Id` text PRIMARY KEY NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`ApiKeyId` integer,
	`ImpersonatorId` integer,
	`Kind` text NOT NULL,
	`Request` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	`DoneAt` text,
	`Result` text,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_assistant_proposals_expiry` ON `svc_assistant_proposals` (`ExpiresAt`);--> statement-breakpoint
CREATE INDEX `svc_assistant_proposals_user` ON `svc_assistant_proposals` (`UserId`,`CompanyId`);