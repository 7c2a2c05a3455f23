/** A library of Calibre: titles sorted by functions of its own, ratings, covers, a view of tags. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const CALIBRE = `
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE,
  link TEXT NOT NULL DEFAULT '', UNIQUE(name));
CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE,
  sort TEXT COLLATE NOCASE, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, pubdate TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  series_index REAL NOT NULL DEFAULT 1.0, author_sort TEXT COLLATE NOCASE, isbn TEXT DEFAULT '' COLLATE NOCASE,
  path TEXT NOT NULL DEFAULT '', flags INTEGER NOT NULL DEFAULT 1, uuid TEXT, has_cover BOOL DEFAULT 0,
  last_modified TIMESTAMP NOT NULL DEFAULT '2000-01-01 00:00:00+00:00');
CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL,
  UNIQUE(book, author));
CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE(name));
CREATE TABLE books_tags_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, tag INTEGER NOT NULL, UNIQUE(book, tag));
CREATE TABLE ratings (id INTEGER PRIMARY KEY, rating INTEGER CHECK(rating > -1 AND rating < 11), UNIQUE(rating));
CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, format TEXT NOT NULL COLLATE NOCASE,
  uncompressed_size INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE(book, format));
CREATE TABLE conversion_options (id INTEGER PRIMARY KEY, format TEXT NOT NULL COLLATE NOCASE, book INTEGER,
  data BLOB NOT NULL, UNIQUE(format, book));
CREATE TABLE annotations (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, format TEXT NOT NULL COLLATE NOCASE,
  user_type TEXT NOT NULL, user TEXT NOT NULL, timestamp REAL NOT NULL, annot_id TEXT NOT NULL, annot_data TEXT NOT NULL,
  UNIQUE(book, user_type, user, format, annot_id));
CREATE VIRTUAL TABLE annotations_fts USING fts5(annot_data, content = 'annotations', content_rowid = 'id');
CREATE TABLE library_id (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, UNIQUE(uuid));
CREATE TABLE last_read_positions (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, user TEXT NOT NULL, cfi TEXT NOT NULL,
  epoch REAL NOT NULL, pos_frac REAL NOT NULL DEFAULT 0, UNIQUE(user, book));
CREATE INDEX books_idx ON books (sort COLLATE NOCASE);
INSERT INTO authors VALUES (1, 'Jane Austen', 'Austen, Jane', '');
INSERT INTO books VALUES (1, 'Emma', 'Emma', '2024-05-06 07:08:09.123456+00:00', '0101-01-01 00:00:00+00:00', 1.0,
  'Austen, Jane', '', 'Jane Austen/Emma (1)', 1, '00112233-4455-4677-8899-aabbccddeeff', 1, '2024-05-06 07:08:09+00:00');
INSERT INTO books_authors_link VALUES (1, 1, 1);
INSERT INTO tags VALUES (1, 'Fiction');
INSERT INTO books_tags_link VALUES (1, 1, 1);
INSERT INTO ratings VALUES (1, 8);
INSERT INTO data VALUES (1, 1, 'EPUB', 12345, 'Emma - Jane Austen');
INSERT INTO conversion_options VALUES (1, 'PIPE', 1, x'80027d71002e');
INSERT INTO annotations VALUES (1, 1, 'EPUB', 'local', 'viewer', 1715000000.25, 'a1', '{"type":"highlight"}');
INSERT INTO library_id VALUES (1, '00112233-4455-4677-8899-aabbccddee00');
INSERT INTO last_read_positions VALUES (1, 1, 'ana', '/2', 1715000000.5, 0.25);
CREATE VIEW tag_browser_tags AS SELECT id, name, (SELECT count(id) FROM books_tags_link WHERE tag = tags.id) AS count,
  (SELECT avg(rating) FROM ratings) AS avg_rating, name AS sort FROM tags;
CREATE TRIGGER books_insert_trg AFTER INSERT ON books BEGIN
  UPDATE books SET sort = title_sort(NEW.title), uuid = uuid4() WHERE id = NEW.id; END;
`

test('a library of Calibre comes whole, with its column user_type', async () => {
  await using app = await adoptSql('calibre', CALIBRE)
  const visited = await app.visit()
  expect(visited.size).toBe(11)
  expect(visited.get('Annotations')).toMatchObject({ user_type: 'local', user: 'viewer' })
  expect(visited.get('Books')).toMatchObject({ title: 'Emma', has_cover: true })
  expect(app.told('left')).toEqual(
    expect.arrayContaining([
      'the virtual table annotations_fts: an index of annotations, which holds its rows',
      'the view tag_browser_tags',
      'the trigger books_insert_trg',
    ]),
  )
})
