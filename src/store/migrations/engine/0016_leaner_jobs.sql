DROP INDEX `svc_jobs_state`;--> statement-breakpoint
DROP INDEX `svc_jobs_name`;--> statement-breakpoint
CREATE INDEX `svc_jobs_enqueued` ON `svc_jobs` (`Queue`,"Priority" DESC,`Id`) WHERE State = 'Enqueued';--> statement-breakpoint
CREATE INDEX `svc_jobs_states` ON `svc_jobs` (`State`,`Id`) WHERE State = 'Scheduled' OR State = 'Awaiting' OR State = 'Processing' OR State = 'Succeeded' OR State = 'Failed' OR State = 'Deleted';--> statement-breakpoint
CREATE INDEX `svc_jobs_asked` ON `svc_jobs` (`UserId`,`Name`) WHERE instr(Source, '/') > 0 AND State IN ('Enqueued', 'Scheduled', 'Awaiting', 'Processing');