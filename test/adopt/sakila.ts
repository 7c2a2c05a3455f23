/**
 * The shape of Sakila: views, triggers, pairs with a time of their own, a store and its manager who
 * point at each other, years, a rule on texts, the key of a table that is a reference, too.
 */
import { insertRows } from './sources.ts'

const TABLES = `
CREATE TABLE actor (
  actor_id numeric NOT NULL, first_name VARCHAR(45) NOT NULL, last_name VARCHAR(45) NOT NULL,
  last_update TIMESTAMP NOT NULL, PRIMARY KEY (actor_id));
CREATE INDEX idx_actor_last_name ON actor(last_name);
CREATE TABLE country (
  country_id SMALLINT NOT NULL, country VARCHAR(50) NOT NULL, last_update TIMESTAMP,
  PRIMARY KEY (country_id));
CREATE TABLE city (
  city_id INTEGER PRIMARY KEY AUTOINCREMENT, city VARCHAR(50) NOT NULL,
  country_id SMALLINT NOT NULL, last_update TIMESTAMP NOT NULL,
  CONSTRAINT fk_city_country FOREIGN KEY (country_id) REFERENCES country (country_id)
    ON DELETE NO ACTION ON UPDATE CASCADE);
CREATE TABLE address (
  address_id INTEGER PRIMARY KEY AUTOINCREMENT, address VARCHAR(50) NOT NULL,
  address2 VARCHAR(50) DEFAULT NULL, district VARCHAR(20) NOT NULL, city_id INT NOT NULL,
  phone VARCHAR(20) NOT NULL, last_update TIMESTAMP NOT NULL,
  FOREIGN KEY (city_id) REFERENCES city (city_id) ON DELETE NO ACTION ON UPDATE CASCADE);
CREATE TABLE language (
  language_id SMALLINT NOT NULL, name CHAR(20) NOT NULL, last_update TIMESTAMP NOT NULL,
  PRIMARY KEY (language_id));
CREATE TABLE category (
  category_id SMALLINT NOT NULL, name VARCHAR(25) NOT NULL, last_update TIMESTAMP NOT NULL,
  PRIMARY KEY (category_id));
CREATE TABLE customer (
  customer_id INT NOT NULL, store_id INT NOT NULL, first_name VARCHAR(45) NOT NULL,
  last_name VARCHAR(45) NOT NULL, email VARCHAR(50) DEFAULT NULL, address_id INT NOT NULL,
  active CHAR(1) DEFAULT 'Y' NOT NULL, create_date TIMESTAMP NOT NULL,
  last_update TIMESTAMP NOT NULL, PRIMARY KEY (customer_id),
  FOREIGN KEY (store_id) REFERENCES store (store_id) ON DELETE NO ACTION ON UPDATE CASCADE,
  FOREIGN KEY (address_id) REFERENCES address (address_id) ON DELETE NO ACTION);
CREATE TABLE film (
  film_id INTEGER PRIMARY KEY AUTOINCREMENT, title VARCHAR(255) NOT NULL,
  description BLOB SUB_TYPE TEXT DEFAULT NULL, release_year YEAR, language_id SMALLINT NOT NULL,
  original_language_id SMALLINT DEFAULT NULL, rental_duration SMALLINT DEFAULT 3 NOT NULL,
  rental_rate DECIMAL(4,2) DEFAULT 4.99 NOT NULL, length SMALLINT DEFAULT NULL,
  replacement_cost DECIMAL(5,2) DEFAULT 19.99 NOT NULL, rating VARCHAR(10) DEFAULT 'G',
  last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT check_rating CHECK (rating IN ('G','PG','PG-13','R','NC-17')),
  CONSTRAINT fk_language FOREIGN KEY (language_id) REFERENCES language (language_id),
  CONSTRAINT fk_original FOREIGN KEY (original_language_id) REFERENCES language (language_id));
CREATE INDEX idx_title ON film(title);
CREATE TABLE film_actor (
  actor_id INT NOT NULL, film_id INT NOT NULL, last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (actor_id, film_id),
  FOREIGN KEY (actor_id) REFERENCES actor (actor_id) ON DELETE NO ACTION,
  FOREIGN KEY (film_id) REFERENCES film (film_id) ON DELETE NO ACTION);
CREATE TABLE film_category (
  film_id INT NOT NULL, category_id SMALLINT NOT NULL, last_update TIMESTAMP NOT NULL,
  PRIMARY KEY (film_id, category_id),
  FOREIGN KEY (film_id) REFERENCES film (film_id), FOREIGN KEY (category_id) REFERENCES category (category_id));
CREATE TABLE film_text (
  film_id SMALLINT NOT NULL, title VARCHAR(255) NOT NULL, description BLOB SUB_TYPE TEXT,
  PRIMARY KEY (film_id));
CREATE TABLE inventory (
  inventory_id INTEGER PRIMARY KEY AUTOINCREMENT, film_id INT NOT NULL, store_id INT NOT NULL,
  last_update TIMESTAMP NOT NULL,
  FOREIGN KEY (store_id) REFERENCES store (store_id), FOREIGN KEY (film_id) REFERENCES film (film_id));
CREATE TABLE staff (
  staff_id SMALLINT NOT NULL, first_name VARCHAR(45) NOT NULL, last_name VARCHAR(45) NOT NULL,
  address_id INT NOT NULL, picture BLOB DEFAULT NULL, store_id INT NOT NULL,
  active SMALLINT DEFAULT 1 NOT NULL, username VARCHAR(16) NOT NULL,
  last_update TIMESTAMP NOT NULL, PRIMARY KEY (staff_id),
  FOREIGN KEY (store_id) REFERENCES store (store_id), FOREIGN KEY (address_id) REFERENCES address (address_id));
CREATE TABLE store (
  store_id INTEGER PRIMARY KEY AUTOINCREMENT, manager_staff_id SMALLINT NOT NULL,
  address_id INT NOT NULL, last_update TIMESTAMP NOT NULL,
  FOREIGN KEY (manager_staff_id) REFERENCES staff (staff_id),
  FOREIGN KEY (address_id) REFERENCES address (address_id));
CREATE UNIQUE INDEX idx_manager ON store(manager_staff_id);
CREATE TABLE rental (
  rental_id INTEGER PRIMARY KEY AUTOINCREMENT, rental_date TIMESTAMP NOT NULL,
  inventory_id INT NOT NULL, customer_id INT NOT NULL, return_date TIMESTAMP DEFAULT NULL,
  staff_id SMALLINT NOT NULL, last_update TIMESTAMP NOT NULL,
  FOREIGN KEY (staff_id) REFERENCES staff (staff_id), FOREIGN KEY (inventory_id) REFERENCES inventory (inventory_id),
  FOREIGN KEY (customer_id) REFERENCES customer (customer_id));
CREATE UNIQUE INDEX idx_rental_uq ON rental (rental_date, inventory_id, customer_id);
CREATE TABLE payment (
  payment_id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INT NOT NULL, staff_id SMALLINT NOT NULL,
  rental_id INT DEFAULT NULL, amount DECIMAL(5,2) NOT NULL, payment_date TIMESTAMP NOT NULL,
  last_update TIMESTAMP NOT NULL,
  FOREIGN KEY (rental_id) REFERENCES rental (rental_id) ON DELETE SET NULL,
  FOREIGN KEY (customer_id) REFERENCES customer (customer_id), FOREIGN KEY (staff_id) REFERENCES staff (staff_id));
`

const BESIDE = `
CREATE TRIGGER actor_trigger_ai AFTER INSERT ON actor BEGIN
  UPDATE actor SET last_update = DATETIME('NOW') WHERE rowid = new.rowid; END;
CREATE VIEW customer_list AS
  SELECT cu.customer_id AS ID, cu.first_name || ' ' || cu.last_name AS name, a.address, c.city
  FROM customer cu JOIN address a ON a.address_id = cu.address_id JOIN city c ON c.city_id = a.city_id;
`

const AT = '2006-02-15 04:34:33.000'

/** How many rows each table has. */
export const SAKILA_ROWS: Readonly<Record<string, number>> = {
  actor: 5,
  country: 2,
  city: 3,
  address: 6,
  language: 2,
  category: 3,
  customer: 4,
  film: 6,
  film_actor: 12,
  film_category: 6,
  film_text: 6,
  inventory: 8,
  staff: 2,
  store: 2,
  rental: 10,
  payment: 10,
}

const RATINGS = ['G', 'PG', 'PG-13', 'R', 'NC-17'] as const

/** The statements that make it. */
export const SAKILA_SQL = [
  'PRAGMA foreign_keys=OFF;',
  TABLES,
  insertRows('actor', 5, (at) => [at, `FIRST${at}`, `LAST${at}`, AT]),
  insertRows('country', 2, (at) => [at, ['Canada', 'Österreich'][at - 1] ?? '', AT]),
  insertRows('city', 3, (at) => [at, `City ${at}`, 1 + (at % 2), AT]),
  insertRows('address', 6, (at) => [at, `${at} Road`, null, 'Alberta', 1 + (at % 3), '', AT]),
  insertRows('language', 2, (at) => [at, ['English', 'German'][at - 1] ?? '', AT]),
  insertRows('category', 3, (at) => [at, `Category ${at}`, AT]),
  insertRows('store', 2, (at) => [at, at, at, AT]),
  insertRows('staff', 2, (at) => [
    ...[
      at,
      ['Mike', 'Jon'][at - 1] ?? '',
      'Hillyer',
      at + 2,
      at === 1 ? "x'89504e470d0a1a0a'" : null,
    ],
    ...[at, 1, `user${at}`, AT],
  ]),
  insertRows('customer', 4, (at) => [
    ...[at, 1 + (at % 2), `Mary${at}`, `Smith${at}`, `m${at}@example.org`, at + 1],
    ...[at === 4 ? '0' : '1', '2006-02-14 22:04:36.000', AT],
  ]),
  insertRows('film', 6, (at) => [
    ...[at, `FILM ${at}`, `A story of ${at}`, String(2000 + at), 1, at === 2 ? 2 : null, 3, 2.99],
    ...[90 + at, 19.99, RATINGS[at % 5] ?? null, AT],
  ]),
  insertRows('film_text', 6, (at) => [at, `FILM ${at}`, `A story of ${at}`]),
  insertRows('film_actor', 12, (at) => [1 + (at % 5), Math.ceil(at / 2), AT]),
  insertRows('film_category', 6, (at) => [at, 1 + (at % 3), AT]),
  insertRows('inventory', 8, (at) => [at, 1 + (at % 6), 1 + (at % 2), AT]),
  insertRows('rental', 10, (at) => [
    ...[at, `2005-05-2${at % 10} 22:53:30.000`, 1 + (at % 8), 1 + (at % 4)],
    ...[at % 3 === 0 ? null : '2005-06-03 01:43:41.000', 1 + (at % 2), AT],
  ]),
  insertRows('payment', 10, (at) => [
    ...[at, 1 + (at % 4), 1 + (at % 2), at, at + 0.99, '2005-06-15 00:54:12.000', AT],
  ]),
  BESIDE,
].join('\n')
