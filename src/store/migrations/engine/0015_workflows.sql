CREATE TABLE `svc_workflow_assignees` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`TaskId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`UserId` integer,
	`Role` text,
	`Due` text NOT NULL,
	`IsOpen` integer NOT NULL,
	`FromUserId` integer
);
--> statement-breakpoint
CREATE INDEX `svc_workflow_assignees_task` ON `svc_workflow_assignees` (`TaskId`);--> statement-breakpoint
CREATE INDEX `svc_workflow_assignees_user` ON `svc_workflow_assignees` (`UserId`,`CompanyId`,`Due`,`TaskId`) WHERE IsOpen = 1 AND UserId IS NOT NULL;--> statement-breakpoint
CREATE INDEX `svc_workflow_assignees_role` ON `svc_workflow_assignees` (`Role`,`CompanyId`,`Due`,`TaskId`) WHERE IsOpen = 1 AND Role IS NOT NULL;--> statement-breakpoint
CREATE TABLE `svc_workflow_branches` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`InstanceId` integer NOT NULL,
	`ParentId` integer,
	`State` text NOT NULL,
	`Entry` integer NOT NULL,
	`EnteredAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_workflow_branches_instance` ON `svc_workflow_branches` (`InstanceId`);--> statement-breakpoint
CREATE TABLE `svc_workflow_delegations` (
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`ToUserId` integer NOT NULL,
	`FromAt` text NOT NULL,
	`UntilAt` text NOT NULL,
	`Comment` text,
	PRIMARY KEY(`UserId`, `CompanyId`)
);
--> statement-breakpoint
CREATE INDEX `svc_workflow_delegations_to` ON `svc_workflow_delegations` (`ToUserId`,`CompanyId`);--> statement-breakpoint
CREATE TABLE `svc_workflow_history` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`InstanceId` integer NOT NULL,
	`BranchId` integer,
	`At` text NOT NULL,
	`UserId` integer,
	`ImpersonatorId` integer,
	`ForUserId` integer,
	`Action` text NOT NULL,
	`FromState` text,
	`ToState` text,
	`Since` text,
	`Comment` text,
	`VersionHash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_workflow_history_instance` ON `svc_workflow_history` (`InstanceId`,`Id`);--> statement-breakpoint
CREATE TABLE `svc_workflow_instances` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Workflow` text NOT NULL,
	`VersionHash` text NOT NULL,
	`Entity` text NOT NULL,
	`RecordKey` text NOT NULL,
	`CompanyId` integer NOT NULL,
	`State` text NOT NULL,
	`Status` text NOT NULL,
	`Version` integer NOT NULL,
	`Entry` integer NOT NULL,
	`EnteredAt` text NOT NULL,
	`StartedBy` integer,
	`StartedAt` text NOT NULL,
	`EndedAt` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `svc_workflow_instances_running` ON `svc_workflow_instances` (`Entity`,`RecordKey`,`Workflow`) WHERE Status = 'Running';--> statement-breakpoint
CREATE INDEX `svc_workflow_instances_record` ON `svc_workflow_instances` (`Entity`,`RecordKey`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_workflow_instances_state` ON `svc_workflow_instances` (`CompanyId`,`Workflow`,`State`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_workflow_instances_company` ON `svc_workflow_instances` (`CompanyId`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_workflow_instances_starter` ON `svc_workflow_instances` (`StartedBy`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_workflow_instances_version` ON `svc_workflow_instances` (`Workflow`,`VersionHash`,`Status`);--> statement-breakpoint
CREATE TABLE `svc_workflow_links` (
	`TokenHash` text PRIMARY KEY NOT NULL,
	`TaskId` integer NOT NULL,
	`UserId` integer NOT NULL,
	`Action` text NOT NULL,
	`ExpiresAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `svc_workflow_links_task` ON `svc_workflow_links` (`TaskId`);--> statement-breakpoint
CREATE TABLE `svc_workflow_tasks` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`InstanceId` integer NOT NULL,
	`BranchId` integer,
	`Entry` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`Workflow` text NOT NULL,
	`State` text NOT NULL,
	`Status` text NOT NULL,
	`ClaimedBy` integer,
	`ExceptUserId` integer,
	`DueAt` text,
	`CreatedAt` text NOT NULL,
	`EndedAt` text,
	`EscalatedAt` text
);
--> statement-breakpoint
CREATE INDEX `svc_workflow_tasks_instance` ON `svc_workflow_tasks` (`InstanceId`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_workflow_tasks_open` ON `svc_workflow_tasks` (`CompanyId`,`Id`) WHERE Status = 'Open';--> statement-breakpoint
CREATE INDEX `svc_workflow_tasks_claimed` ON `svc_workflow_tasks` (`ClaimedBy`) WHERE Status = 'Open' AND ClaimedBy IS NOT NULL;--> statement-breakpoint
CREATE TABLE `svc_workflow_votes` (
	`TaskId` integer NOT NULL,
	`UserId` integer NOT NULL,
	`ForUserId` integer,
	`Action` text NOT NULL,
	`At` text NOT NULL,
	PRIMARY KEY(`TaskId`, `UserId`)
);
