/** A database of SpatiaLite: geometries in bytes, trees of boxes, modules that nobody has here. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const SPATIALITE = `
CREATE TABLE spatial_ref_sys (srid INTEGER NOT NULL PRIMARY KEY, auth_name TEXT NOT NULL, auth_srid INTEGER NOT NULL,
  ref_sys_name TEXT NOT NULL DEFAULT 'Unknown', proj4text TEXT NOT NULL, srtext TEXT NOT NULL DEFAULT 'Undefined');
CREATE UNIQUE INDEX idx_spatial_ref_sys ON spatial_ref_sys (auth_srid, auth_name);
CREATE TABLE geometry_columns (f_table_name TEXT NOT NULL, f_geometry_column TEXT NOT NULL, geometry_type INTEGER NOT NULL,
  coord_dimension INTEGER NOT NULL, srid INTEGER NOT NULL, spatial_index_enabled INTEGER NOT NULL,
  CONSTRAINT pk_geom_cols PRIMARY KEY (f_table_name, f_geometry_column),
  CONSTRAINT fk_gc_srs FOREIGN KEY (srid) REFERENCES spatial_ref_sys (srid),
  CONSTRAINT ck_gc_rtree CHECK (spatial_index_enabled IN (0,1,2)));
CREATE TABLE spatialite_history (event_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL,
  geometry_column TEXT, event TEXT NOT NULL, timestamp TEXT NOT NULL, ver_sqlite TEXT NOT NULL, ver_splite TEXT NOT NULL);
CREATE TABLE sql_statements_log (id INTEGER PRIMARY KEY AUTOINCREMENT, time_start TIMESTAMP NOT NULL DEFAULT '0000-01-01T00:00:00.000Z',
  time_end TIMESTAMP NOT NULL DEFAULT '0000-01-01T00:00:00.000Z', user_agent TEXT NOT NULL, sql_statement TEXT NOT NULL,
  success INTEGER NOT NULL DEFAULT 0, error_cause TEXT NOT NULL DEFAULT 'ABORTED',
  CONSTRAINT sqllog_success CHECK (success IN (0,1)));
CREATE TABLE towns (pk_uid INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, peoples INTEGER, "geometry" POINT);
CREATE VIRTUAL TABLE "idx_towns_geometry" USING rtree(pkid, xmin, xmax, ymin, ymax);
CREATE TRIGGER "ggi_towns_geometry" BEFORE INSERT ON "towns" FOR EACH ROW BEGIN
  SELECT RAISE(ROLLBACK, 'towns.geometry violates Geometry constraint') WHERE 1 = 0; END;
CREATE VIEW geom_cols_ref_sys AS SELECT f_table_name, auth_name FROM geometry_columns NATURAL JOIN spatial_ref_sys;
INSERT INTO spatial_ref_sys VALUES (4326, 'epsg', 4326, 'WGS 84', '+proj=longlat', 'GEOGCS[]'), (-1, 'NONE', -1, 'Undefined', '', '');
INSERT INTO geometry_columns VALUES ('towns', 'geometry', 1, 2, 4326, 1);
INSERT INTO spatialite_history VALUES (1, 'spatial_ref_sys', NULL, 'table successfully created', '2024-05-06T07:08:09.123Z', '3.45.1', '5.1.0');
INSERT INTO sql_statements_log VALUES (1, '2024-05-06T07:08:09.123Z', '0000-01-01T00:00:00.000Z', 'spatialite CLI', 'SELECT 1', 1, 'success');
INSERT INTO towns VALUES (1, 'Arezzo', 91589, x'0001e6100000000000000000f03f00000000000000400000000000000000f03f00000000000000407c01000000000000000000f03f0000000000000040fe');
INSERT INTO idx_towns_geometry VALUES (1, 1, 1, 2, 2);
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES
  ('table', 'SpatialIndex', 'SpatialIndex', 0, 'CREATE VIRTUAL TABLE SpatialIndex USING VirtualSpatialIndex()'),
  ('table', 'KNN2', 'KNN2', 0, 'CREATE VIRTUAL TABLE KNN2 USING VirtualKNN2()'),
  ('trigger', 'gii_towns_geometry', 'towns', 0,
   'CREATE TRIGGER "gii_towns_geometry" AFTER INSERT ON "towns" FOR EACH ROW BEGIN
    INSERT INTO "idx_towns_geometry" VALUES (NEW.ROWID, ST_MinX(NEW."geometry"), 0, 0, 0); END');
`

test('a database of SpatiaLite comes whole, its virtual tables apart', async () => {
  await using app = await adoptSql('spatialite', SPATIALITE)
  const visited = await app.visit()
  expect([...visited.keys()].sort()).toHaveLength(5)
  expect(visited.get('SqlStatementsLogs')).toMatchObject({ user_agent: 'spatialite CLI' })
  expect(visited.get('Towns')).toMatchObject({ name: 'Arezzo', peoples: 91589 })
  const left = app.told('left').filter((line) => line.startsWith('the virtual table'))
  expect(left.map((line) => /table (\w+)/.exec(line)?.[1])).toEqual([
    ...['idx_towns_geometry', 'SpatialIndex', 'KNN2'],
  ])
  expect(app.told('lost')).toContainEqual(expect.stringContaining('idx_towns_geometry'))
})
