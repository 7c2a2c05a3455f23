/** Oracle of a world of records: what its user may see and change, worked out in memory. */
import { type Condition, judge, type Surroundings, type Value, type Values } from './condition.ts'
import {
  ENTITY,
  type EntityName,
  isLinkTenant,
  type RecordRole,
  recordTable,
  type RecordVerb,
  type RecordWorld,
  type WorldRecord,
} from './record-world.ts'

export interface StoredRecord extends WorldRecord {
  Id: number
  /** Of a line: the doc that it belongs to. */
  DocId: number | null
}

export interface StoredLink {
  company: 1 | 2
  DocId: number
  TagId: number
}

export interface StoredWorld extends Readonly<Record<EntityName, readonly StoredRecord[]>> {
  link: readonly StoredLink[]
}

/** Keys in order; what refers goes to a row of the same company, or to a shared one. */
export function planStored(world: RecordWorld): StoredWorld {
  const { isTenant, rows } = world
  const number = (records: readonly WorldRecord[]): StoredRecord[] =>
    records.map((record, at) => ({ ...record, Id: at + 1, DocId: null }))
  const [doc, tag] = [number(rows.doc), number(rows.tag)]
  const line = number(rows.line).map((record) => {
    const fitting = doc.filter(({ company }) => !isTenant.doc || company === record.company)
    return { ...record, DocId: fitting[record.ref % fitting.length]?.Id ?? null }
  })
  const pairs = new Map<string, StoredLink>()
  for (const [docAt, tagAt] of world.links) {
    const one = doc[docAt % doc.length]
    const other = tag[tagAt % Math.max(1, tag.length)]
    if (!one || !other) continue
    if (isTenant.doc && isTenant.tag && one.company !== other.company) continue
    const company = isTenant.doc ? one.company : other.company
    pairs.set(`${one.Id}-${other.Id}`, { company, DocId: one.Id, TagId: other.Id })
  }
  return { doc, tag, line, link: [...pairs.values()] }
}

/** A row of a table. */
export type Insert = [string, Record<string, string | number | null>]

/** Rows to insert, by table, of the world with this number. */
export function planInserts(
  at: number,
  world: RecordWorld,
  stored: StoredWorld | undefined,
): Insert[] {
  if (!stored) return []
  const { isTenant } = world
  const planRecord = (name: EntityName, record: StoredRecord): Insert => {
    const { Id, company, A, B, C, D, DocId } = record
    const row = { Id, A, B, C, D, ...(isTenant[name] && { CompanyId: company }) }
    return [recordTable(at, name), name === 'line' ? { ...row, DocId } : row]
  }
  return [
    ...stored.doc.map((record) => planRecord('doc', record)),
    ...stored.tag.map((record) => planRecord('tag', record)),
    ...stored.line.map((record) => planRecord('line', record)),
    ...stored.link.map(({ company, DocId, TagId }): Insert => {
      const held: Insert[1] = isLinkTenant(world) ? { CompanyId: company } : {}
      return [recordTable(at, 'link'), { DocId, TagId, ...held }]
    }),
  ]
}

/** Expectations for one user in the company of the world. */
export class RecordSight {
  readonly #world: RecordWorld
  readonly #stored: StoredWorld
  readonly #roles: readonly RecordRole[]
  readonly #around: Surroundings

  constructor(world: RecordWorld, stored: StoredWorld, userId: number) {
    this.#world = world
    this.#stored = stored
    this.#roles = world.user.roles.flatMap((role) => world.roles[role] ?? [])
    const { company, region, level } = world.user
    const names = Object.entries(ENTITY)
    this.#around = {
      parameters: {
        CurrentUserId: userId,
        CurrentCompanyId: company,
        User_Region: region ?? null,
        User_Level: level ?? null,
      },
      among: (table) => {
        const name = names.find(([, number]) => number === table)?.[0]
        const rows = name === 'tag' || name === 'line' ? this.own(name) : this.own('doc')
        return rows.flatMap(({ A, C }): Value[] => (C === 1 ? [A] : []))
      },
    }
  }

  /** The rows of an entity in the company of the user. */
  own(entity: EntityName): StoredRecord[] {
    const { isTenant, user } = this.#world
    const rows = this.#stored[entity]
    return rows.filter(({ company }) => !isTenant[entity] || company === user.company)
  }

  holds(entity: EntityName, verb: RecordVerb): boolean {
    const { isSystem } = this.#world.user
    return isSystem || this.#roles.some((role) => role[entity].verbs.includes(verb))
  }

  /** The List filter holds for every read; where no role grants List, that of View. */
  #readVerb(entity: EntityName): RecordVerb {
    return this.holds(entity, 'List') ? 'List' : 'View'
  }

  #reaches(entity: EntityName, row: StoredRecord, has: (role: RecordRole) => boolean): boolean {
    if (this.#world.user.isSystem) return true
    return this.#roles.some((role) => has(role) && this.#passes(role[entity].filter, row))
  }

  #passes(filter: Condition | undefined, row: StoredRecord): boolean {
    return filter === undefined || judge(filter, toValues(row), this.#around) === true
  }

  #reachesBy(entity: EntityName, verb: RecordVerb, row: StoredRecord): boolean {
    return this.#reaches(entity, row, (role) => role[entity].verbs.includes(verb))
  }

  /** The rows of an entity's view that the user sees. */
  seen(entity: EntityName): StoredRecord[] {
    const verb = this.#readVerb(entity)
    return this.own(entity).filter((row) => this.#reachesBy(entity, verb, row))
  }

  findSeen(entity: EntityName, id: number): StoredRecord | undefined {
    return this.seen(entity).find(({ Id }) => Id === id)
  }

  /** A field is there on a row where a role that reads the row does not hide it. */
  showsFile(row: StoredRecord): boolean {
    const reads = ({ doc }: RecordRole): boolean =>
      doc.verbs.includes('List') || doc.verbs.includes('View')
    return this.#reaches('doc', row, (role) => reads(role) && !role.hidesFile)
  }

  /** Keys of the tags of a doc, as the user's company has them. */
  tags({ Id }: StoredRecord): number[] {
    const { user } = this.#world
    return this.#stored.link
      .filter(({ company }) => !isLinkTenant(this.#world) || company === user.company)
      .flatMap(({ DocId, TagId }) => (DocId === Id ? [TagId] : []))
      .sort((a, b) => a - b)
  }

  get transfers(): boolean {
    return this.#world.user.isSystem || this.#roles.some(({ transfers }) => transfers)
  }

  /** The rows of an entity's view that the user may export: seen, and reached by that right. */
  exported(entity: EntityName): StoredRecord[] {
    return this.seen(entity).filter((row) => this.#reaches(entity, row, (role) => role.transfers))
  }

  /** The docs that a reference may be given: rows of their view that the user may List. */
  picks(): StoredRecord[] {
    return this.holds('doc', 'List') ? this.seen('doc') : []
  }

  /** The label of a stored record, for every reader of a record that refers to it. */
  labelOf(entity: EntityName, id: number | null): Value {
    return this.#stored[entity].find(({ Id }) => Id === id)?.B ?? null
  }

  canUpdate(entity: EntityName, row: StoredRecord): boolean {
    const acts = this.#actsOn(entity, row, (role) => role[entity].verbs.includes('Update'))
    return acts && this.#mayStand(entity, row)
  }

  /** A record is saved only where it is among both the List and the View rows, as far as held. */
  #mayStand(entity: EntityName, row: StoredRecord): boolean {
    const verbs: readonly RecordVerb[] = ['List', 'View']
    return verbs.every((verb) => !this.holds(entity, verb) || this.#reachesBy(entity, verb, row))
  }

  /** Checks an act on a row: it must be read, or, without a right to read, be of the own right. */
  #actsOn(entity: EntityName, row: StoredRecord, has: (role: RecordRole) => boolean): boolean {
    const reads = this.holds(entity, 'List') || this.holds(entity, 'View')
    const rows = reads ? this.seen(entity) : this.own(entity)
    return rows.includes(row) && this.#reaches(entity, row, has)
  }

  get holdsStamp(): boolean {
    return this.#world.user.isSystem || this.#roles.some(({ stamps }) => stamps)
  }

  /** A capability reaches what its granting roles reach. */
  canStamp(row: StoredRecord): boolean {
    return this.#actsOn('doc', row, ({ stamps }) => stamps)
  }

  /** The docs that the action's statement changes, whichever doc it is run on. */
  stamped(): number[] {
    const { stamped } = this.#world
    return this.own('doc')
      .filter((row) => judge(stamped, toValues(row), this.#around) === true)
      .map(({ Id }) => Id)
  }
}

const toValues = ({ Id, A, B, C, D }: StoredRecord): Values => ({ Id, A, B, C, D })
