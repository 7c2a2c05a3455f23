/**
 * A group practice in English and German: its doctors, patients and appointments, and names that
 * are also words of questions.
 */
import clinicXml from './clinic.xml' with { type: 'text' }
import textsXml from './texts-de.xml' with { type: 'text' }
import { type Cell, SourceMaker, type SourceTable } from '../../support/account-takeover.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** Two at the desk, who both see everything. */
export const CLINIC: TestApplication = {
  files: [
    { name: 'clinic.xml', body: String(clinicXml) },
    { name: 'texts-de.xml', body: String(textsXml) },
  ],
  ...makePeople('CLINIC', { desk: 'Desk', temp: 'Desk' }),
}

const DOCTORS: readonly (readonly Cell[])[] = [
  [1, 'Dr. Weber', 'general', '2015-04-01'],
  [2, 'Dr. Lindqvist', 'skin', '2019-09-01'],
  [3, 'Dr. Osei', 'heart', '2022-01-15'],
  [4, 'Dr. March', 'general', '2026-02-01'],
]
const ROOMS: readonly (readonly Cell[])[] = [
  [1, 'Room 1', 0],
  [2, 'Room 2', 0],
  [3, 'Blue room', 1],
  [4, 'Laboratory', 2],
]
const NAMES = [
  ...['Ares', 'Doe', 'Hase', 'Note', 'Total', 'Berger', 'Castelli', 'Dahl', 'Ekström', 'Fischer'],
  ...['Grabner', 'Hofer', 'Ivanova', 'Jansen', 'Keller', 'Lopez', 'Moreau', 'Novak', 'Okafor'],
  ...[
    'Petersen',
    'Quist',
    'Rossi',
    'Sommer',
    'Toth',
    'Ullmann',
    'Vogt',
    'Winter',
    'Young',
    'Zeman',
  ],
  'Albrecht',
]
const FIRST_NAMES = ['Anna', 'Bruno', 'Clara', 'David', 'Elif', 'Frank']
const CITIES = ['Wien', 'Graz', 'Linz', 'Salzburg', 'Sankt Pölten']
const STATUSES = ['held', 'held', 'held', 'held', 'missed', 'cancelled']
const DAY_MS = 86_400_000
const LAST_MS = Date.parse('2026-11-20T00:00:00.000Z')
/** From here on appointments are booked only; one that begins later is not held yet. */
const TODAY = '2026-10-26'

/** The doctors, patients and rooms, and the appointments that each of the two at the desk made. */
export function makeClinic(seed: number): { shared: SourceTable[]; byTemp: SourceTable[] } {
  const make = new SourceMaker(seed)
  const appointments = Array.from({ length: 160 }, (_, at) => planAppointment(make, at + 1))
  return {
    shared: [
      table('Doctors', 'doctors', 'Id Name Specialty SinceOn', DOCTORS),
      table('Rooms', 'rooms', 'Id Name Floor', ROOMS),
      table(
        'Patients',
        'patients',
        'Id Name City BornOn Insurance DoctorId Weight Reminders',
        NAMES.map((name, at) => planPatient(make, at + 1, name)),
      ),
      toAppointments(appointments.slice(0, 110)),
    ],
    byTemp: [toAppointments(appointments.slice(110))],
  }
}

const table = (
  view: string,
  name: string,
  columns: string,
  rows: SourceTable['rows'],
): SourceTable => ({ view, table: name, columns: columns.split(' '), rows })

const toAppointments = (rows: Cell[][]): SourceTable =>
  table(
    'Appointments',
    'appointments',
    'Id Number PatientId DoctorId RoomId StartsAt BookedOn PaidOn Status Minutes Fee Deposit',
    rows,
  )

function planPatient(make: SourceMaker, id: number, name: string): Cell[] {
  const { random } = make
  const born = `${random.int(1940, 2018)}-0${random.int(1, 9)}-${random.int(10, 28)}`
  return [
    id,
    `${make.pick(FIRST_NAMES)} ${name}`,
    make.pick(CITIES),
    born,
    random.chance(0.3) ? 'private' : 'public',
    random.chance(0.2) ? null : random.int(1, 4),
    random.int(300, 1100) / 10,
    random.chance(0.7) ? 1 : 0,
  ]
}

function planAppointment(make: SourceMaker, id: number): Cell[] {
  const { random } = make
  const age = random.int(0, 690)
  const start = LAST_MS - age * DAY_MS
  const day = new Date(start).toISOString().slice(0, 10)
  const booked = new Date(start - random.int(1, 40) * DAY_MS).toISOString().slice(0, 10)
  const status = day >= TODAY ? 'booked' : make.pick(STATUSES)
  const fee = random.int(40, 260)
  const paid = new Date(start + random.int(0, 30) * DAY_MS).toISOString().slice(0, 10)
  return [
    id,
    `A-${String(id).padStart(4, '0')}`,
    // The last patients have not come yet.
    random.int(1, NAMES.length - 4),
    random.int(1, 4),
    random.chance(0.1) ? null : random.int(1, 4),
    `${day}T${String(random.int(8, 17)).padStart(2, '0')}:00:00.000Z`,
    booked < TODAY ? booked : TODAY,
    status === 'held' && paid < TODAY ? paid : null,
    status,
    make.pick([15, 30, 45, 60]),
    fee,
    random.chance(0.3) ? random.int(10, 300) : 0,
  ]
}
