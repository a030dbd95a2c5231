/**
 * The bodies of the reference's POST operations, read with the model's schemas, but with everything optional that isn't
 * really required.
 */
import { z } from 'zod'
import * as model from '../shared/model/index.ts'
import { type Reader, readerOf } from './reading.ts'

const form = model.Form.partial({ FormType: true, EmbedForm: true })
const listItem = model.DropDownListItem.partial({ Value: true })
const field = model.Field.partial()
const template = model.Template.extend({ Fields: z.array(field) }).partial({ Name: true, Fields: true })

/** 2.1. */
export const sendFormDirect = readerOf(
  model.SendFormDirectRequest.extend({ Forms: z.array(form), ListItems: z.array(listItem).optional() })
)
export type SendFormDirect = Read<typeof sendFormDirect>
export type FormRequest = SendFormDirect['Forms'][number]

/** 2.9. */
export const sendFormFiller = readerOf(model.SendFormFillerRequest.extend({ Templates: z.array(template) }))
export type SendFormFiller = Read<typeof sendFormFiller>
export type TemplateRequest = SendFormFiller['Templates'][number]
export type FieldRequest = z.output<typeof field>

/** 2.23. */
export const updateSigner = readerOf(model.UpdateSignerRequest)
export const extend = readerOf(model.ExtendRequest)
export const assignQueueDocument = readerOf(model.AssignQueueDocumentRequest)

/** Not in the reference: a reminder to one signer. */
export const sendReminder = readerOf(model.SendReminderRequest.partial({ SignerReference: true }))

/** 2.19, the request of UpdateEmployers. */
export const updateEmployers = readerOf(model.UpdateEmployersRequest)

type Read<Shape> = Shape extends Reader<infer Value> ? Value : never
