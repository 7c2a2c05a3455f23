ALTER TABLE `svc_webhook_deliveries` ADD `Removed` text;--> statement-breakpoint
ALTER TABLE `svc_webhook_deliveries` DROP COLUMN `Body`;