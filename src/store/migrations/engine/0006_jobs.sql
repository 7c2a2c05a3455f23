CREATE TABLE `svc_jobs` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Name` text NOT NULL,
	`State` text NOT NULL,
	`Queue` text NOT NULL,
	`Priority` integer NOT NULL,
	`CompanyId` integer,
	`UserId` integer,
	`Language` text,
	`Source` text NOT NULL,
	`Arguments` text NOT NULL,
	`ExclusiveKey` text,
	`CreatedAt` text NOT NULL,
	`DueAt` text,
	`Attempts` integer NOT NULL,
	`AttemptsMax` integer NOT NULL,
	`StartedAt` text,
	`FinishedAt` text,
	`Server` text,
	`Progress` text,
	`Result` text,
	`Error` text,
	`Log` text,
	`History` text NOT NULL,
	`AfterId` integer,
	`BatchId` text,
	`AfterBatch` text,
	`Recurring` text
);
--> statement-breakpoint
CREATE INDEX `svc_jobs_state` ON `svc_jobs` (`State`,`Queue`,"Priority" DESC,`Id`);--> statement-breakpoint
CREATE INDEX `svc_jobs_due` ON `svc_jobs` (`DueAt`) WHERE State = 'Scheduled';--> statement-breakpoint
CREATE INDEX `svc_jobs_key` ON `svc_jobs` (`ExclusiveKey`,`State`,`Id`) WHERE ExclusiveKey IS NOT NULL;--> statement-breakpoint
CREATE INDEX `svc_jobs_after` ON `svc_jobs` (`AfterId`) WHERE State = 'Awaiting';--> statement-breakpoint
CREATE INDEX `svc_jobs_batch` ON `svc_jobs` (`BatchId`,`State`) WHERE BatchId IS NOT NULL;--> statement-breakpoint
CREATE INDEX `svc_jobs_after_batch` ON `svc_jobs` (`AfterBatch`) WHERE State = 'Awaiting';--> statement-breakpoint
CREATE INDEX `svc_jobs_name` ON `svc_jobs` (`Name`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_jobs_recurring` ON `svc_jobs` (`Recurring`,`Id`) WHERE Recurring IS NOT NULL;--> statement-breakpoint
CREATE INDEX `svc_jobs_finished` ON `svc_jobs` (`State`,`FinishedAt`) WHERE FinishedAt IS NOT NULL;