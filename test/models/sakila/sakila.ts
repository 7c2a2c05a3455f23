/** A rental business of two stores in the shape of the public database Sakila, with made data. */
import rentalXml from './rental.xml' with { type: 'text' }
import { type Cell, SourceMaker, type SourceTable } from '../../support/account-takeover.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

export const SAKILA: TestApplication = {
  files: [{ name: 'rental.xml', body: String(rentalXml) }],
  ...makePeople('ONE TWO', { keeper: 'Keeper', keeper2: 'Keeper in TWO', clerk: 'Clerk' }),
}

/** Tables that all stores share, then those of each store. */
export interface Sakila {
  shared: SourceTable[]
  stores: [SourceTable[], SourceTable[]]
  /** The manager of each store: the last step, since stores and staff point to each other. */
  managers: [SourceTable, SourceTable]
}

/** The tables in an order in which each finds what it refers to. */
export function makeSakila(seed: number): Sakila {
  const make = new SourceMaker(seed)
  const sharedIds = makeSharedKeys(make)
  const shared = [
    ...planPeople(make, sharedIds),
    ...planFilms(make, sharedIds),
    ...planCast(make, sharedIds),
    ...planPlaces(make, sharedIds),
  ]
  // Stores take turns in one sequence of keys, as in one database.
  const split = (count: number): [number[], number[]] => {
    const keys = make.keys(count)
    return [keys.filter((_, at) => at % 2 === 0), keys.filter((_, at) => at % 2 === 1)]
  }
  const ids = {
    store: split(2),
    staff: split(6),
    customer: split(40),
    inventory: split(80),
    rental: split(160),
    payment: split(200),
  }
  const planTables = (at: 0 | 1): SourceTable[] => {
    const own: StoreKeys = {
      store: ids.store[at],
      staff: ids.staff[at],
      customer: ids.customer[at],
      inventory: ids.inventory[at],
      rental: ids.rental[at],
      payment: ids.payment[at],
    }
    return [...planStore(make, sharedIds, own), ...planRentalTables(make, sharedIds, own)]
  }
  const planManager = (at: 0 | 1): SourceTable => ({
    view: 'Stores',
    table: 'store',
    columns: ['store_id', 'manager_staff_id'],
    rows: ids.store[at].map((store) => [store, make.pick(ids.staff[at])]),
  })
  return {
    shared,
    stores: [planTables(0), planTables(1)],
    managers: [planManager(0), planManager(1)],
  }
}

/** Keys of the tables that all stores share and that others refer to. */
type SharedKeys = ReturnType<typeof makeSharedKeys>

const makeSharedKeys = (make: SourceMaker) => ({
  language: make.keys(6),
  actor: make.keys(25),
  category: make.keys(16),
  country: make.keys(10),
  city: make.keys(30),
  film: make.keys(40),
  address: make.keys(60),
})

function planNames(
  make: SourceMaker,
  view: string,
  table: string,
  keys: readonly number[],
): SourceTable {
  const rows = make.shuffle(keys.map((key, at): Cell[] => [key, `${table} ${at}`]))
  return { view, table, columns: [`${table}_id`, 'name'], rows }
}

function planPeople(make: SourceMaker, ids: SharedKeys): SourceTable[] {
  return [
    planNames(make, 'Languages', 'language', ids.language),
    {
      view: 'Actors',
      table: 'actor',
      columns: ['actor_id', 'first_name', 'last_name'],
      rows: make.shuffle(ids.actor.map((key, at) => [key, `FIRST${at % 7}`, `LAST${at % 5}`])),
    },
    planNames(make, 'Categories', 'category', ids.category),
  ]
}

function planFilms(make: SourceMaker, ids: SharedKeys): SourceTable[] {
  return [
    {
      view: 'Films',
      table: 'film',
      columns: [
        'film_id',
        'title',
        'description',
        'release_year',
        'language_id',
        'original_language_id',
        'rental_duration',
        'rental_rate',
        'rating',
        'special_features',
        'last_update',
      ],
      rows: make.shuffle(
        ids.film.map((key, at) => [
          key,
          make.text('ACADEMY', at),
          make.text('An epic "drama" of', at),
          make.random.int(1950, 2012),
          make.pick(ids.language),
          make.pickOrNull(ids.language),
          make.random.int(3, 7),
          make.pick([0.99, 2.99, 4.99]),
          make.pick(['G', 'PG', 'PG-13', 'R', 'NC-17']),
          make.pickOrNull(['["Trailers"]', '["Trailers","Deleted Scenes"]']),
          make.instant(),
        ]),
      ),
    },
  ]
}

function planCast(make: SourceMaker, ids: SharedKeys): SourceTable[] {
  return [
    {
      view: 'FilmActors',
      table: 'film_actor',
      columns: ['actor_id', 'film_id'],
      rows: make.shuffle(
        ids.film.flatMap((film) =>
          ids.actor.filter(() => make.random.chance(0.15)).map((actor) => [actor, film]),
        ),
      ),
    },
    {
      view: 'FilmCategories',
      table: 'film_category',
      columns: ['film_id', 'category_id', 'last_update'],
      rows: make.shuffle(
        ids.film.map((film): Cell[] => [film, make.pick(ids.category), make.instant()]),
      ),
    },
  ]
}

function planPlaces(make: SourceMaker, ids: SharedKeys): SourceTable[] {
  return [
    {
      view: 'Countries',
      table: 'country',
      columns: ['country_id', 'country'],
      rows: make.shuffle(ids.country.map((key, at) => [key, make.text('Country', at)])),
    },
    {
      view: 'Cities',
      table: 'city',
      columns: ['city_id', 'city', 'country_id'],
      rows: make.shuffle(
        ids.city.map((key, at) => [key, make.text('City', at), make.pick(ids.country)]),
      ),
    },
    {
      view: 'Addresses',
      table: 'address',
      columns: ['address_id', 'address', 'district', 'city_id', 'postal_code'],
      rows: make.shuffle(
        ids.address.map((key, at) => [
          key,
          make.text('Street', at),
          make.pickOrNull(['Alberta', 'QLD']),
          make.pick(ids.city),
          make.pickOrNull(['00731', '35200']),
        ]),
      ),
    },
  ]
}

interface StoreKeys {
  store: number[]
  staff: number[]
  customer: number[]
  inventory: number[]
  rental: number[]
  payment: number[]
}

function planStore(make: SourceMaker, shared: SharedKeys, ids: StoreKeys): SourceTable[] {
  return [
    {
      view: 'Stores',
      table: 'store',
      columns: ['store_id', 'address_id'],
      rows: ids.store.map((key) => [key, make.pick(shared.address)]),
    },
    {
      view: 'StaffMembers',
      table: 'staff',
      columns: ['staff_id', 'first_name', 'last_name', 'address_id', 'store_id', 'active'],
      rows: make.shuffle(
        ids.staff.map((key, at) => [
          key,
          `Mike${at}`,
          `Hillyer${at}`,
          make.pick(shared.address),
          make.pick(ids.store),
          make.random.int(0, 1),
        ]),
      ),
    },
    {
      view: 'Customers',
      table: 'customer',
      columns: ['customer_id', 'store_id', 'first_name', 'last_name', 'address_id', 'create_date'],
      rows: make.shuffle(
        ids.customer.map((key, at) => [
          key,
          make.pick(ids.store),
          `MARY${at}`,
          `SMITH${at}`,
          make.pick(shared.address),
          make.instant(),
        ]),
      ),
    },
  ]
}

function planRentalTables(make: SourceMaker, shared: SharedKeys, ids: StoreKeys): SourceTable[] {
  return [
    {
      view: 'Inventories',
      table: 'inventory',
      columns: ['inventory_id', 'film_id', 'store_id'],
      rows: make.shuffle(
        ids.inventory.map((key) => [key, make.pick(shared.film), make.pick(ids.store)]),
      ),
    },
    {
      view: 'Rentals',
      table: 'rental',
      columns: [
        'rental_id',
        'rental_date',
        'inventory_id',
        'customer_id',
        'return_date',
        'staff_id',
      ],
      rows: make.shuffle(planRentals(make, ids)),
    },
    {
      view: 'Payments',
      table: 'payment',
      columns: ['payment_id', 'customer_id', 'staff_id', 'rental_id', 'amount', 'payment_date'],
      rows: make.shuffle(
        ids.payment.map((key) => [
          key,
          make.pick(ids.customer),
          make.pick(ids.staff),
          make.pickOrNull(ids.rental),
          make.pick([0.99, 2.99, 10.99]),
          make.instant(),
        ]),
      ),
    },
  ]
}

/** No disc is out twice at a time; the last rental of some is not returned yet. */
function planRentals(make: SourceMaker, ids: StoreKeys): Cell[][] {
  const DAY_MS = 86_400_000
  const free = new Map<number, number>()
  const rows = ids.rental.map((key): Cell[] => {
    const disc = make.pick(ids.inventory)
    const from =
      (free.get(disc) ?? Date.parse('2005-05-24T22:53:30Z')) + make.random.int(1, 9) * 1000
    const until = from + make.random.int(1, 5) * DAY_MS
    free.set(disc, until)
    return [
      key,
      new Date(from).toISOString(),
      disc,
      make.pick(ids.customer),
      new Date(until).toISOString(),
      make.pick(ids.staff),
    ]
  })
  const last = new Map(rows.map((row) => [row[2], row]))
  return rows.map((row) =>
    last.get(row[2] ?? null) === row && make.random.chance(0.3)
      ? row.map((cell, at) => (at === 4 ? null : cell))
      : row,
  )
}
