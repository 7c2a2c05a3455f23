ALTER TABLE `svc_companies` ADD `Language` text;--> statement-breakpoint
ALTER TABLE `svc_users` ADD `Language` text;