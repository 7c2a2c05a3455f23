CREATE TABLE `svc_import_lists` (
	`Row` integer NOT NULL,
	`Entity` text NOT NULL,
	`Before` text NOT NULL,
	`After` text,
	PRIMARY KEY(`Row`, `Entity`)
);
