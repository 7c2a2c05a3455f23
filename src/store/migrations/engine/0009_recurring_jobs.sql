CREATE TABLE `svc_recurring` (
	`Name` text PRIMARY KEY NOT NULL,
	`Cron` text NOT NULL,
	`TimeZone` text NOT NULL,
	`Paused` integer NOT NULL,
	`NextRun` text,
	`LastRun` text,
	`LastJobId` integer
);
--> statement-breakpoint
ALTER TABLE `svc_jobs` ADD `ImpersonatorId` integer;
--> statement-breakpoint
INSERT INTO svc_jobs (Name, State, Queue, Priority, CompanyId, UserId, Source, Arguments, CreatedAt, Attempts, AttemptsMax, History)
SELECT json_extract(Payload, '$.Name'), 'Enqueued', 'default', 0, CompanyId, UserId, Source, coalesce(json_extract(Payload, '$.With'), '{}'), At, 0, 11, json_array(json_object('State', 'Enqueued', 'At', At))
FROM svc_outbox WHERE Kind = 'job' AND State = 'pending' AND json_extract(Payload, '$.Name') IS NOT NULL ORDER BY Id;
--> statement-breakpoint
DELETE FROM svc_outbox WHERE Kind = 'job';
