/** Requests and answers of the upload routes. */
import { type Static, Type } from '@sinclair/typebox'
import { instant, named, uuid } from '../../kernel/schema.ts'

export const FileUploadResult = named(
  'FileUploadResult',
  Type.Object({
    UploadKey: uuid('What a submit gives the File field'),
    FileName: Type.String({ description: 'The name of the file as it is shown' }),
    ContentType: Type.String({ description: 'Told by the file’s own bytes' }),
    Size: Type.Integer({ description: 'Bytes' }),
    FieldName: Type.String(),
    ExpiresAt: instant('Until then a submit may take it over'),
  }),
)
export type FileUploadResult = Static<typeof FileUploadResult>

/** The form of an upload. It is read as a stream, so no schema checks it; this one tells of it. */
export const UPLOAD_FORM = named(
  'UploadForm',
  Type.Object({
    objectName: Type.String({ description: 'Name or slug of the object', example: 'orders' }),
    fieldName: Type.String({
      description: 'A File field that the caller may fill',
      example: 'Documents',
    }),
    viewId: Type.Optional(
      Type.String({
        description: 'The view of the object that has the field, by name or slug',
        example: 'orders',
      }),
    ),
    file: Type.Array(Type.String({ format: 'binary' }), { description: 'One or more files' }),
  }),
)
