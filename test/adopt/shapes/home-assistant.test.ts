/** A database of Home Assistant's recorder: instants as seconds, identifiers as bytes. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const RECORDER = `
CREATE TABLE event_types (event_type_id INTEGER NOT NULL, event_type VARCHAR(64), PRIMARY KEY (event_type_id));
CREATE UNIQUE INDEX ix_event_types_event_type ON event_types (event_type);
CREATE TABLE event_data (data_id INTEGER NOT NULL, hash BIGINT, shared_data TEXT, PRIMARY KEY (data_id));
CREATE TABLE events (event_id INTEGER NOT NULL, event_type CHAR(0), event_data CHAR(0), origin CHAR(0), origin_idx SMALLINT,
  time_fired CHAR(0), time_fired_ts FLOAT, context_user_id CHAR(0), data_id INTEGER, context_id_bin BLOB,
  context_user_id_bin BLOB, event_type_id INTEGER, PRIMARY KEY (event_id),
  FOREIGN KEY(data_id) REFERENCES event_data (data_id), FOREIGN KEY(event_type_id) REFERENCES event_types (event_type_id));
CREATE INDEX ix_events_context_id_bin ON events (context_id_bin);
CREATE TABLE states_meta (metadata_id INTEGER NOT NULL, entity_id VARCHAR(255), PRIMARY KEY (metadata_id));
CREATE UNIQUE INDEX ix_states_meta_entity_id ON states_meta (entity_id);
CREATE TABLE state_attributes (attributes_id INTEGER NOT NULL, hash BIGINT, shared_attrs TEXT, PRIMARY KEY (attributes_id));
CREATE TABLE states (state_id INTEGER NOT NULL, entity_id CHAR(0), state VARCHAR(255), last_changed_ts FLOAT,
  last_updated_ts FLOAT, old_state_id INTEGER, attributes_id INTEGER, context_id_bin BLOB, metadata_id INTEGER,
  PRIMARY KEY (state_id), FOREIGN KEY(old_state_id) REFERENCES states (state_id),
  FOREIGN KEY(attributes_id) REFERENCES state_attributes (attributes_id),
  FOREIGN KEY(metadata_id) REFERENCES states_meta (metadata_id));
CREATE INDEX ix_states_metadata_id_last_updated_ts ON states (metadata_id, last_updated_ts);
CREATE TABLE recorder_runs (run_id INTEGER NOT NULL, start DATETIME NOT NULL, "end" DATETIME, closed_incorrect BOOLEAN NOT NULL,
  created DATETIME NOT NULL, PRIMARY KEY (run_id));
CREATE TABLE statistics_meta (id INTEGER NOT NULL, statistic_id VARCHAR(255), unit_of_measurement VARCHAR(255), has_mean BOOLEAN,
  has_sum BOOLEAN, PRIMARY KEY (id));
CREATE TABLE statistics (id INTEGER NOT NULL, created_ts FLOAT, metadata_id INTEGER, start_ts FLOAT, mean FLOAT, sum FLOAT,
  PRIMARY KEY (id), FOREIGN KEY(metadata_id) REFERENCES statistics_meta (id) ON DELETE CASCADE);
CREATE UNIQUE INDEX ix_statistics_statistic_id_start_ts ON statistics (metadata_id, start_ts);
INSERT INTO event_types VALUES (1, 'state_changed');
INSERT INTO event_data VALUES (1, 3811206733, '{"domain":"light"}');
INSERT INTO events VALUES (1, NULL, NULL, NULL, 0, NULL, 1715000000.1234567, NULL, 1, x'018f4b2e6a7c7d8e9fa0b1c2d3e4f506', NULL, 1);
INSERT INTO states_meta VALUES (1, 'light.kitchen');
INSERT INTO state_attributes VALUES (1, 1234567890, '{"friendly_name":"Küche"}');
INSERT INTO states VALUES (1, NULL, 'on', NULL, 1715000000.1234567, NULL, 1, x'018f4b2e6a7c7d8e9fa0b1c2d3e4f506', 1),
  (2, NULL, 'off', NULL, 1715000060.1234568, 1, 1, x'018f4b2e6a7c7d8e9fa0b1c2d3e4f507', 1);
INSERT INTO recorder_runs VALUES (1, '2024-05-06 07:08:09.123456', NULL, 0, '2024-05-06 07:08:09.123457');
INSERT INTO statistics_meta VALUES (1, 'sensor.energy', 'kWh', 0, 1);
INSERT INTO statistics VALUES (1, 1715000000.00001, 1, 1715000000.0, 1.25, 1e-12), (2, 1715000000.00002, 1, 1715003600.0, NULL, 2e-12);
`

test('a recorder of Home Assistant comes whole', async () => {
  await using app = await adoptSql('recorder', RECORDER)
  const visited = await app.visit()
  expect(visited.size).toBe(9)
  expect(visited.get('States')).toMatchObject({ state: 'on', metadata_id__Label: 'light.kitchen' })
  const { entities } = app.app.context.models.get()
  expect(entities.get('State')?.columnByName.get('old_state_id')?.references).toBe('State')
})
