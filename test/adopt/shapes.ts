/** Databases of well-known programs, in their shapes: WordPress, Django, Calibre and others. */
import { createHash } from 'node:crypto'
import { insertRows } from './sources.ts'

const random = (at: number): string => createHash('md5').update(String(at)).digest('hex')
const AT = '2021-05-06 07:08:09'

export const WORDPRESS = `
CREATE TABLE wp_users (ID INTEGER PRIMARY KEY AUTOINCREMENT, user_login TEXT NOT NULL DEFAULT '',
  user_pass TEXT NOT NULL DEFAULT '', user_nicename TEXT NOT NULL DEFAULT '', user_email TEXT NOT NULL DEFAULT '',
  user_url TEXT NOT NULL DEFAULT '', user_registered TEXT NOT NULL DEFAULT '0000-00-00 00:00:00',
  user_activation_key TEXT NOT NULL DEFAULT '', user_status INTEGER NOT NULL DEFAULT 0, display_name TEXT NOT NULL DEFAULT '');
${insertRows('wp_users', 6, (at) => [at, `u${at}`, `$P$B${random(at)}`, `u${at}`, `u${at}@example.org`, '', AT, '', 0, `Person ${at}`])}
CREATE TABLE wp_usermeta (umeta_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL DEFAULT 0,
  meta_key TEXT DEFAULT NULL, meta_value TEXT);
${insertRows('wp_usermeta', 12, (at) => [at, (at % 6) + 1, 'nickname', at % 3 ? `n${at}` : ''])}
CREATE TABLE wp_posts (ID INTEGER PRIMARY KEY AUTOINCREMENT, post_author INTEGER NOT NULL DEFAULT 0, post_date TEXT,
  post_content TEXT NOT NULL, post_title TEXT NOT NULL, post_status TEXT NOT NULL DEFAULT 'publish',
  post_password TEXT NOT NULL DEFAULT '', post_parent INTEGER NOT NULL DEFAULT 0, menu_order INTEGER NOT NULL DEFAULT 0);
${insertRows('wp_posts', 8, (at) => [at, (at % 6) + 1, AT, 'Text', `Post ${at}`, 'publish', '', 0, 0])}
CREATE INDEX post_author ON wp_posts (post_author);
CREATE TABLE wp_comments (comment_ID INTEGER PRIMARY KEY AUTOINCREMENT, comment_post_ID INTEGER NOT NULL,
  comment_author TEXT NOT NULL, comment_content TEXT NOT NULL, user_id INTEGER NOT NULL DEFAULT 0);
${insertRows('wp_comments', 9, (at) => [at, (at % 8) + 1, `Reader ${at}`, 'Nice', 0])}
CREATE TABLE wp_terms (term_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, slug TEXT NOT NULL);
${insertRows('wp_terms', 5, (at) => [at, `Term ${at}`, `term-${at}`])}
CREATE TABLE wp_term_relationships (object_id INTEGER NOT NULL, term_taxonomy_id INTEGER NOT NULL,
  term_order INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (object_id, term_taxonomy_id));
${insertRows('wp_term_relationships', 6, (at) => [at, 1, 0])}
CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY AUTOINCREMENT, option_name TEXT NOT NULL UNIQUE,
  option_value TEXT NOT NULL, autoload TEXT NOT NULL DEFAULT 'yes');
${insertRows('wp_options', 6, (at) => [at, `option_${at}`, 'x', 'yes'])}
`

export const DJANGO = `
CREATE TABLE django_content_type (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, app_label varchar(100) NOT NULL, model varchar(100) NOT NULL);
${insertRows('django_content_type', 5, (at) => [at, 'blog', `model${at}`])}
CREATE TABLE auth_user (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, password varchar(128) NOT NULL, last_login datetime NULL,
  is_superuser bool NOT NULL, username varchar(150) NOT NULL UNIQUE, last_name varchar(150) NOT NULL, email varchar(254) NOT NULL,
  is_staff bool NOT NULL, date_joined datetime NOT NULL, first_name varchar(150) NOT NULL);
${insertRows('auth_user', 5, (at) => [
  ...[at, `pbkdf2_sha256$1$${random(at)}`, null, 0, `user${at}`, '', `u${at}@x.org`, 1],
  ...[`2021-05-06 07:08:0${at}.123456`, ''],
])}
CREATE TABLE auth_group (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name varchar(150) NOT NULL UNIQUE);
${insertRows('auth_group', 3, (at) => [at, `Group ${at}`])}
CREATE TABLE auth_user_groups (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES auth_user (id) DEFERRABLE INITIALLY DEFERRED,
  group_id INTEGER NOT NULL REFERENCES auth_group (id) DEFERRABLE INITIALLY DEFERRED);
${insertRows('auth_user_groups', 5, (at) => [at, at, (at % 3) + 1])}
CREATE UNIQUE INDEX auth_user_groups_uniq ON auth_user_groups (user_id, group_id);
CREATE TABLE django_session (session_key varchar(40) NOT NULL PRIMARY KEY, session_data TEXT NOT NULL, expire_date datetime NOT NULL);
${insertRows('django_session', 5, (at) => [random(at), `${random(at)}:${random(at + 7)}`, AT])}
CREATE TABLE blog_entry (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, headline varchar(255) NOT NULL, body_text TEXT NOT NULL,
  pub_date date NOT NULL, author_id INTEGER NOT NULL REFERENCES auth_user (id) DEFERRABLE INITIALLY DEFERRED,
  status varchar(10) NOT NULL CHECK (status IN ('draft', 'in_review', 'published')));
${insertRows('blog_entry', 7, (at) => [at, `Entry ${at}`, 'Text', '2021-05-06', (at % 5) + 1, 'draft'])}
`

export const CALIBRE = `
CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE, sort TEXT COLLATE NOCASE,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, pubdate TIMESTAMP DEFAULT CURRENT_TIMESTAMP, series_index REAL NOT NULL DEFAULT 1.0,
  isbn TEXT DEFAULT '' COLLATE NOCASE, path TEXT NOT NULL DEFAULT '', has_cover BOOL DEFAULT 0, uuid TEXT);
${insertRows('books', 8, (at) => [at, `Book ${at}`, `Book ${at}`, `${AT}.123456+00:00`, `${AT}+00:00`, 1, '', `a/${at}`, 1, `0011223${at}-4455-6677-8899-aabbccddeeff`])}
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE, link TEXT NOT NULL DEFAULT '', UNIQUE (name));
${insertRows('authors', 6, (at) => [at, `Author ${at}`, `Author ${at}`, ''])}
CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL, UNIQUE (book, author));
${insertRows('books_authors_link', 8, (at) => [at, at, (at % 6) + 1])}
CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, text TEXT NOT NULL COLLATE NOCASE, UNIQUE (book));
${insertRows('comments', 6, (at) => [at, at, `Comment ${at}`])}
CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, format TEXT NOT NULL COLLATE NOCASE, uncompressed_size INTEGER NOT NULL, name TEXT NOT NULL);
${insertRows('data', 8, (at) => [at, at, 'EPUB', at * 1000, `Book ${at}`])}
CREATE TRIGGER books_insert_trg AFTER INSERT ON books BEGIN UPDATE books SET sort = NEW.title WHERE id = NEW.id; END;
`

export const HOME_ASSISTANT = `
CREATE TABLE states_meta (metadata_id INTEGER NOT NULL, entity_id VARCHAR(255), PRIMARY KEY (metadata_id));
${insertRows('states_meta', 5, (at) => [at, `sensor.room_${at}`])}
CREATE TABLE state_attributes (attributes_id INTEGER NOT NULL, hash BIGINT, shared_attrs TEXT, PRIMARY KEY (attributes_id));
${insertRows('state_attributes', 5, (at) => [at, at * 1_000_003, `{"unit":"${at}"}`])}
CREATE TABLE states (state_id INTEGER NOT NULL, entity_id CHAR(0), state VARCHAR(255), last_updated_ts FLOAT, old_state_id INTEGER,
  attributes_id INTEGER, context_id_bin BLOB, metadata_id INTEGER, PRIMARY KEY (state_id),
  FOREIGN KEY (old_state_id) REFERENCES states (state_id), FOREIGN KEY (attributes_id) REFERENCES state_attributes (attributes_id));
${insertRows('states', 20, (at) => [at, null, `${at}.5`, 1_700_000_000.125 + at, at > 1 ? at - 1 : null, (at % 5) + 1, `x'${random(at)}'`, (at % 5) + 1])}
`

export const ANKI = `
CREATE TABLE notes (id INTEGER PRIMARY KEY, guid TEXT NOT NULL, mid INTEGER NOT NULL, mod INTEGER NOT NULL, usn INTEGER NOT NULL,
  tags TEXT NOT NULL, flds TEXT NOT NULL, sfld INTEGER NOT NULL, csum INTEGER NOT NULL, flags INTEGER NOT NULL, data TEXT NOT NULL);
${insertRows('notes', 6, (at) => [1_600_000_000_000 + at, `g${at}`, 1, 1_600_000_000, -1, '', `front ${at}back`, `front ${at}`, at, 0, ''])}
CREATE TABLE cards (id INTEGER PRIMARY KEY, nid INTEGER NOT NULL, did INTEGER NOT NULL, ord INTEGER NOT NULL, data TEXT NOT NULL);
${insertRows('cards', 6, (at) => [1_600_000_000_000 + at, 1_600_000_000_000 + at, 1, 0, '{}'])}
CREATE TABLE decks (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, mtime_secs INTEGER NOT NULL, common BLOB NOT NULL);
${insertRows('decks', 2, (at) => [at, `Deck ${at}`, 1_600_000_000, `x'0801100${at}'`])}
`
