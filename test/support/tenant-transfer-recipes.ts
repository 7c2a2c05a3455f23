/** Recipes of the sweep for exports, their files, imports and the undo of imports. */
import { sendForm } from './tenant-form.ts'
import type { Keys, Recipe } from './tenant-keys.ts'
import { VIEW_NAMES } from './tenant-model.ts'
import type { Call } from './tenant-world.ts'

const BASE = '/api/v1/svc/object'

const forObjects = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['nobody', 'clerk'], ['system']],
  calls,
})

const take = (ObjectName: string, more: object = {}): Call => ({
  path: `${BASE}/export-data`,
  body: { ObjectName, ...more },
  isFollowed: true,
})

const exports = ({ id, text, company }: Keys): Call[] => [
  ...VIEW_NAMES.map((view) => take(view)),
  take('Clients', { Format: 'xlsx' }),
  take('Bills', { Format: 'jsonl' }),
  take('Bills', { Format: text }),
  take('Clients', { Fields: ['Id', 'Name', 'AreaId', 'OwnerId', 'Tags', 'Peers', 'Bills'] }),
  take('Bills', {
    Fields: ['ClientId', 'Client', 'Clients', 'Grand', 'LastUser', 'Roles', 'Firm'],
  }),
  take('Clients', { SearchText: text }),
  take('Clients', { Filters: [{ Field: 'Id', Operator: 'eq', Value: id }] }),
  take('Clients', { Filters: [{ Field: 'CompanyId', Operator: 'eq', Value: company }] }),
  take('Bills', { Filters: [{ Field: 'ClientId', Operator: 'eq', Value: id }], Format: 'jsonl' }),
  take('Bills', { Filters: [{ Field: 'Client', Operator: 'contains', Value: text }] }),
  take('Bills', { Preset: 'Large' }),
  take('BillLines', { Parameters: { BillId: id, CompanyId: company, CurrentCompanyId: company } }),
]

const give = (objectName: string, file: string, more: Record<string, string> = {}): Call => ({
  ...sendForm(`${BASE}/import-data`, { objectName, ...more }, ['rows.csv', file]),
  isFollowed: true,
})

const UPDATE = { mode: 'update' }
const UPSERT = { mode: 'upsert' }
const BY_CODE = { keyFields: 'Code' }

/** Records that are told by their keys, in every way that finds or makes one. */
const changes = ({ id, text, user, company }: Keys): Call[] => [
  ...[UPDATE, UPSERT].flatMap((mode) => [
    give('Clients', `Id,Name\n${id},new\n`, mode),
    give('Clients', `Id,Name\n501,new\n${id},new\n`, { ...mode, onError: 'skip' }),
    give('Clients', `Id,Name\n${id},new\n`, { ...mode, dryRun: 'true' }),
    give('Areas', `Id,Name\n${id},new\n`, mode),
    give('Tags', `Id,Name\n${id},new\n`, mode),
    give('Bills', `Id,Text\n${id},new\n`, mode),
    give('BillLines', `BillId,LineNo,Text\n${id},1,new\n`, mode),
    give('Entries', `Id,Text\n${id},new\n`, mode),
    give('People', `Id,DisplayName\n${user},new\n`, mode),
    give('Firms', `Key,Name\n${company},new\n`, mode),
    give('Authored', `Id,Name\n${id},new\n`, mode),
  ]),
  // A slot's key is its own in all companies: to make one anew would tell that it is taken.
  give('Slots', `Code,Note\n${text},new\n`, UPDATE),
  give('Clients', `Email,Name\n${text}@example.test,new\n`, { ...UPDATE, keyFields: 'Email' }),
  give('Clients', `Name,Remark\n${text},new\n`, { ...UPDATE, keyFields: 'Name' }),
  // Codes are unique in a company: that the other one has it changes nothing.
  give('Clients', 'Code,Remark\nprobe,new\n', { ...UPDATE, ...BY_CODE }),
  give('Clients', 'Code,Name\nprobe,new\n', { ...UPSERT, ...BY_CODE }),
]

/** New records that refer to others, by key and by label. */
const additions = ({ id, text, user, company }: Keys): Call[] => [
  give('Clients', `Code,Name,AreaId\ni1,new,${id}\n`),
  give('Clients', `Code,Name,AreaId\ni2,new,${text}\n`),
  give('Clients', `Code,Name,OwnerId\ni3,new,${user}\n`),
  give('Clients', `Code,Name,Tags\ni4,new,${id}\n`),
  give('Clients', `Code,Name,Tags\ni5,new,${text}\n`),
  give('Clients', `Code,Name,CompanyId\ni6,new,${company}\n`),
  give('Clients', `Code,Name,X\ni7,new,${company}\n`, { mapping: '{"X":"CompanyId"}' }),
  give('Clients', `Code,Name,AreaId\ni8,new,\ni9,new,${id}\n`, { onError: 'skip' }),
  give('Areas', `Name,ParentId\nnew,${id}\n`),
  give('Bills', `ClientId,Text\n${id},new\n`),
  give('Bills', `ClientId,Total\n501,900\n501,5000\n`, { onError: 'skip' }),
  give('BillLines', `BillId,LineNo,Text\n${id},9,new\n`),
  give('Authored', 'Code,Name\ni10,new\n'),
  give(text, 'Code,Name\ni11,new\n'),
]

/** By route. */
export const TRANSFER_RECIPES: Readonly<Record<string, Recipe>> = {
  'POST /api/v1/svc/object/export-data': forObjects(exports),
  'GET /api/v1/svc/object/export-file/:fileName': {
    ...forObjects(({ file }) => [
      { path: `${BASE}/export-file/${file}` },
      { path: `${BASE}/export-file/${file}?AllCompanies=true` },
      { path: `${BASE}/export-file/${file}`, headers: { Range: 'bytes=0-3' } },
      { path: `${BASE}/export-file/${file}`, method: 'HEAD' },
    ]),
    isRead: true,
  },
  'GET /api/v1/svc/object/:name/import-template': {
    ...forObjects(() =>
      VIEW_NAMES.flatMap((view) => [
        { path: `${BASE}/${view}/import-template`, isFollowed: true },
        { path: `${BASE}/${view}/import-template?format=csv`, isFollowed: true },
      ]),
    ),
    isRead: true,
  },
  'POST /api/v1/svc/object/import-data': forObjects((keys) => [
    ...changes(keys),
    ...additions(keys),
  ]),
  'POST /api/v1/svc/object/import-preview': {
    ...forObjects(() =>
      VIEW_NAMES.map((objectName) =>
        sendForm(`${BASE}/import-preview`, { objectName }, ['rows.csv', 'Id,Name\n1,new\n']),
      ),
    ),
    isRead: true,
  },
  'GET /api/v1/svc/object/import-data/:jobId': {
    ...forObjects(() => [{ path: `${BASE}/import-data/1` }]),
    isRead: true,
    isRefused: true,
  },
  'DELETE /api/v1/svc/object/import-data/:jobId': {
    ...forObjects(() => [{ path: `${BASE}/import-data/1`, method: 'DELETE' }]),
    isRefused: true,
  },
  'POST /api/v1/svc/object/import-data/:importId/undo': forObjects(({ importId }) => [
    { path: `${BASE}/import-data/${importId}/undo`, method: 'POST' },
    { path: `${BASE}/import-data/${importId}/undo?AllCompanies=true`, method: 'POST', body: {} },
  ]),
}
