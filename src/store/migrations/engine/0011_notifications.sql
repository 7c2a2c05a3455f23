CREATE TABLE `svc_notification_digests` (
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`LastId` integer NOT NULL,
	PRIMARY KEY(`UserId`, `CompanyId`),
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `svc_notification_preferences` (
	`UserId` integer NOT NULL,
	`Kind` text NOT NULL,
	`Hub` integer NOT NULL,
	`Push` integer NOT NULL,
	`Mail` integer NOT NULL,
	`Digest` integer NOT NULL,
	PRIMARY KEY(`UserId`, `Kind`),
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `svc_notifications` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`UserId` integer NOT NULL,
	`CompanyId` integer NOT NULL,
	`Kind` text NOT NULL,
	`Title` text NOT NULL,
	`Body` text,
	`Level` text NOT NULL,
	`Object` text,
	`Entity` text,
	`RecordKey` text,
	`Url` text,
	`FromUserId` integer,
	`CreatedAt` text NOT NULL,
	`ReadAt` text,
	FOREIGN KEY (`UserId`) REFERENCES `svc_users`(`Id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `svc_notifications_user` ON `svc_notifications` (`UserId`,`CompanyId`,`Id`);--> statement-breakpoint
CREATE INDEX `svc_notifications_unread` ON `svc_notifications` (`UserId`,`CompanyId`,`Id`) WHERE ReadAt IS NULL;--> statement-breakpoint
CREATE INDEX `svc_notifications_record` ON `svc_notifications` (`Entity`,`RecordKey`) WHERE Entity IS NOT NULL;--> statement-breakpoint
CREATE INDEX `svc_notifications_created` ON `svc_notifications` (`CreatedAt`);
--> statement-breakpoint
INSERT INTO svc_notifications (UserId, CompanyId, Kind, Title, Body, Level, Object, Entity, RecordKey, Url, FromUserId, CreatedAt)
SELECT u.Id, o.CompanyId, json_extract(o.Payload, '$.Kind'), json_extract(o.Payload, '$.Title'), json_extract(o.Payload, '$.Body'),
  coalesce(json_extract(o.Payload, '$.Level'), 'info'), o.Source, o.Entity, o.RecordKey, json_extract(o.Payload, '$.Url'), o.UserId, o.At
FROM svc_outbox o JOIN svc_users u ON u.Active
  AND EXISTS (SELECT 1 FROM svc_user_companies m WHERE m.UserId = u.Id AND m.CompanyId = o.CompanyId)
  AND (u.Id IN (SELECT value FROM json_each(coalesce(json_extract(o.Payload, '$.Users'), '[]')))
    OR u.UserNameKey = lower(json_extract(o.Payload, '$.User'))
    OR CAST(u.Id AS TEXT) = json_extract(o.Payload, '$.User')
    OR EXISTS (SELECT 1 FROM svc_user_roles r WHERE r.UserId = u.Id AND r.Role = json_extract(o.Payload, '$.Role')
      AND (r.CompanyId IS NULL OR r.CompanyId = o.CompanyId)))
WHERE o.Kind = 'notify' AND o.State = 'pending' AND json_extract(o.Payload, '$.Title') IS NOT NULL ORDER BY o.Id, u.Id;
--> statement-breakpoint
DELETE FROM svc_outbox WHERE Kind = 'notify';
