ALTER TABLE `svc_outbox` ADD `PartOf` integer;--> statement-breakpoint
CREATE INDEX `svc_outbox_parts` ON `svc_outbox` (`PartOf`) WHERE PartOf IS NOT NULL;