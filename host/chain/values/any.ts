/** `google.protobuf.Any` as the Cosmos SDK writes it: the type's name after a slash, nothing before it. */
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";

export function packAny<S extends DescMessage>(schema: S, init: MessageInitShape<S>): Any {
  return create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, init)) });
}
