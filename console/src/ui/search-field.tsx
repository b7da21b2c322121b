import { TextInput } from "@mantine/core";
import { SearchIcon } from "./icons.js";

interface SearchFieldProps {
  /** The label, such as "Search bots". */
  label: string;
  value: string;
  onChange: (search: string) => void;
}

/** Filters a list by part of a name. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder="Search by name"
      leftSection={<SearchIcon size={16} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maw={360}
    />
  );
}

/** Whether one of the names contains what was typed: in any case, and with the sign that names are shown with. */
export function matches(search: string, ...names: readonly string[]): boolean {
  const wanted = search.trim().toLowerCase().replace(/^[@#]/, "");
  return names.some((name) => name.toLowerCase().includes(wanted));
}
