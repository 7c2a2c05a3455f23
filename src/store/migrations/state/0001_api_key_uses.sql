CREATE TABLE `svc_api_key_uses` (
	`KeyId` integer PRIMARY KEY NOT NULL,
	`LastUsedAt` text NOT NULL
);
