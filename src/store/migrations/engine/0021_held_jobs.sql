DROP INDEX `svc_jobs_states`;--> statement-breakpoint
DROP INDEX `svc_jobs_asked`;--> statement-breakpoint
CREATE INDEX `svc_jobs_states` ON `svc_jobs` (`State`,`Id`) WHERE State = 'Scheduled' OR State = 'Awaiting' OR State = 'Processing' OR State = 'Succeeded' OR State = 'Failed' OR State = 'Deleted' OR State = 'Held';--> statement-breakpoint
CREATE INDEX `svc_jobs_asked` ON `svc_jobs` (`UserId`,`Name`) WHERE instr(Source, '/') > 0 AND State IN ('Enqueued', 'Scheduled', 'Awaiting', 'Processing', 'Held');