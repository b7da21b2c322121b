export { type PostgresClient, postgresValues } from "./databases/postgres-values.js";
