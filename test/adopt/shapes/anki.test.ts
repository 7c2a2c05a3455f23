/** A collection of Anki: a collation of its own, keys of milliseconds, bytes beside texts. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

/** Its texts compare by \`unicase\`, which only Anki knows. */
const ANKI = `
CREATE TABLE col (id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, ver integer NOT NULL, conf text NOT NULL);
CREATE TABLE notes (id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL, usn integer NOT NULL,
  tags text NOT NULL, flds text NOT NULL, sfld integer NOT NULL, csum integer NOT NULL, flags integer NOT NULL, data text NOT NULL);
CREATE TABLE cards (id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL, due integer NOT NULL,
  ivl integer NOT NULL, factor integer NOT NULL, data text NOT NULL);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE TABLE graves (oid integer NOT NULL, type integer NOT NULL, usn integer NOT NULL, PRIMARY KEY (oid, type)) WITHOUT ROWID;
CREATE TABLE deck_config (id integer PRIMARY KEY NOT NULL, name text NOT NULL COLLATE NOCASE, mtime_secs integer NOT NULL, config blob NOT NULL);
CREATE UNIQUE INDEX idx_deck_config_name ON deck_config (name);
CREATE TABLE config (KEY text NOT NULL PRIMARY KEY, usn integer NOT NULL, mtime_secs integer NOT NULL, val blob NOT NULL) WITHOUT ROWID;
CREATE TABLE fields (ntid integer NOT NULL, ord integer NOT NULL, name text NOT NULL COLLATE NOCASE, config blob NOT NULL,
  PRIMARY KEY (ntid, ord)) WITHOUT ROWID;
CREATE UNIQUE INDEX idx_fields_name_ntid ON fields (name, ntid);
CREATE TABLE notetypes (id integer NOT NULL PRIMARY KEY, name text NOT NULL COLLATE NOCASE, mtime_secs integer NOT NULL, config blob NOT NULL);
CREATE UNIQUE INDEX idx_notetypes_name ON notetypes (name);
CREATE TABLE decks (id integer PRIMARY KEY NOT NULL, name text NOT NULL COLLATE NOCASE, mtime_secs integer NOT NULL, common blob NOT NULL);
CREATE UNIQUE INDEX idx_decks_name ON decks (name);
CREATE TABLE tags (tag text NOT NULL PRIMARY KEY COLLATE NOCASE, usn integer NOT NULL, collapsed boolean NOT NULL, config blob NULL) WITHOUT ROWID;
INSERT INTO col VALUES (1, 1714950000, 1715000000123, 18, '{}');
INSERT INTO notes VALUES (1715000000123, 'k[Yt!', 1714950000001, 1715000000, -1, ' Verb ', 'essen' || char(31) || 'to eat', 'essen', 3811206733, 0, '');
INSERT INTO cards VALUES (1715000000124, 1715000000123, 1, 0, 1, 0, 2500, '{}');
INSERT INTO graves VALUES (1715000000001, 0, -1);
INSERT INTO deck_config VALUES (1, 'Default', 0, x'0a0b0c');
INSERT INTO config VALUES ('schedVer', 0, 0, x'32'), ('sortType', 0, 0, x'226e6f746546');
INSERT INTO fields VALUES (1714950000001, 0, 'Front', x'1a05417269616c'), (1714950000001, 1, 'Back', x'1a05417269616c');
INSERT INTO notetypes VALUES (1714950000001, 'Einfach', 1715000000, x'08');
INSERT INTO decks VALUES (1, 'Default', 1715000000, x'00'), (2, 'Deutsch' || char(31) || 'Verben', 1715000000, x'00');
INSERT INTO tags VALUES ('Verb', -1, 0, NULL), ('ähnlich', -1, 1, NULL);
PRAGMA writable_schema=ON;
UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'unicase');
`

test('a collection of Anki comes whole, and its collation is told', async () => {
  await using app = await adoptSql('anki', ANKI)
  const visited = await app.visit()
  expect(visited.size).toBe(10)
  expect(visited.get('Notes')).toMatchObject({ id: 1715000000123, flds: 'essen\u001fto eat' })
  const told = app.told('left').filter((line) => line.includes('it compares by unicase'))
  expect(told.map((line) => line.split(':')[0])).toEqual([
    'tags',
    'deck_config',
    'fields',
    'notetypes',
    'decks',
  ])
  expect(await app.stored('SELECT tag, collapsed FROM tags ORDER BY tag')).toEqual([
    { tag: 'Verb', collapsed: 0 },
    { tag: 'ähnlich', collapsed: 1 },
  ])
})
