CREATE TABLE `svc_drafts` (
	`DocumentId` integer PRIMARY KEY NOT NULL,
	`Body` text NOT NULL,
	`Notes` text NOT NULL,
	`BaseId` integer NOT NULL,
	`SavedAt` text NOT NULL,
	`SavedBy` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `svc_scripts` ADD `DocumentId` integer;--> statement-breakpoint
ALTER TABLE `svc_scripts` ADD `Notes` text;--> statement-breakpoint
CREATE INDEX `svc_scripts_document` ON `svc_scripts` (`DocumentId`);--> statement-breakpoint
UPDATE `svc_scripts` SET `DocumentId` = (SELECT min(o.Id) FROM `svc_scripts` o WHERE o.Type = `svc_scripts`.Type AND o.Name = `svc_scripts`.Name) WHERE Type IN ('Report', 'Workflow');
--> statement-breakpoint
UPDATE `svc_scripts` SET `DocumentId` = NULL WHERE `DocumentId` = Id;
