/* Reading one target profile: keys, rules, and the spellings of older files. */
#include "targets/profile.h"

#include "base/suggest.h"

typedef struct profile_reader {
    mlia_arena *arena;
    mlia_profile *profile;
} profile_reader;

static mlia_status *at_member(mlia_status *status, const mlia_toml_member *member)
{
    return mlia_status_at_line(status, member->line, member->column);
}

static mlia_status *wrong_type(const mlia_toml_member *member, const char *expected)
{
    return at_member(mlia_error(MLIA_E_PROFILE, "'%.*s' is %s; %s is expected", MLIA_STR_ARG(member->key),
                                mlia_toml_type_name(member->value->type), expected),
                     member);
}

/* Non-empty text of one line. */
static mlia_status *read_text(const mlia_toml_member *member, mlia_str *text)
{
    if (member->value->type != MLIA_TOML_STRING)
        return wrong_type(member, "a string");
    *text = member->value->as.text;
    if (text->size == 0 || mlia_str_find(*text, '\n') != SIZE_MAX)
        return at_member(
            mlia_error(MLIA_E_PROFILE, "'%.*s' must be one line of text", MLIA_STR_ARG(member->key)), member);
    return NULL;
}

static bool is_profile_name(mlia_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (i == 0 || (c != '.' && c != '_' && c != '-')))
            return false;
    }
    return name.size > 0;
}

static mlia_status *read_name(profile_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(read_text(member, &reader->profile->name));
    if (!is_profile_name(reader->profile->name))
        return at_member(mlia_error(MLIA_E_PROFILE,
                                    "profile_name '%.*s' has other characters than A-Z a-z 0-9 . _ -",
                                    MLIA_STR_ARG(reader->profile->name)),
                         member);
    return NULL;
}

static mlia_status *read_description(profile_reader *reader, const mlia_toml_member *member)
{
    return read_text(member, &reader->profile->description);
}

static mlia_status *read_target(profile_reader *reader, const mlia_toml_member *member)
{
    mlia_str type = MLIA_STR_NONE;
    MLIA_TRY(read_text(member, &type));
    const mlia_target *target = mlia_target_find(type);
    if (target == NULL)
        return at_member(mlia_error(MLIA_E_PROFILE,
                                    "there is no target '%.*s'; 'mlia target list' names them",
                                    MLIA_STR_ARG(type)),
                         member);
    if (reader->profile->target != NULL && reader->profile->target != target)
        return at_member(mlia_error(MLIA_E_PROFILE, "'target' and 'target_type' differ"), member);
    reader->profile->target = target;
    return NULL;
}

static mlia_status *read_components(profile_reader *reader, const mlia_toml_member *member,
                                    mlia_components *list);

static mlia_status *read_component_type(const mlia_toml_member *member, mlia_component_type *type)
{
    mlia_str text = MLIA_STR_NONE;
    MLIA_TRY(read_text(member, &text));
    for (unsigned i = MLIA_COMPONENT_CPU; i <= MLIA_COMPONENT_SOC; i++) {
        *type = (mlia_component_type)i;
        if (mlia_str_equal_c(text, mlia_component_type_name(*type)))
            return NULL;
    }
    return at_member(mlia_error(MLIA_E_PROFILE,
                                "component type '%.*s' is none of cpu, npu, gpu, dsp, specification, soc",
                                MLIA_STR_ARG(text)),
                     member);
}

static mlia_status *read_component_member(profile_reader *reader, const mlia_toml_member *member,
                                          mlia_component *component)
{
    static const struct {
        mlia_str key;
        size_t offset;
    } texts[] = {
        {MLIA_STR_INIT("family"), offsetof(mlia_component, family)},
        {MLIA_STR_INIT("model"), offsetof(mlia_component, model)},
        {MLIA_STR_INIT("variant"), offsetof(mlia_component, variant)},
        {MLIA_STR_INIT("name"), offsetof(mlia_component, name)},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (mlia_str_equal(member->key, texts[i].key))
            return read_text(member, (mlia_str *)(void *)((char *)component + texts[i].offset));
    if (mlia_str_equal_c(member->key, "type"))
        return read_component_type(member, &component->type);
    if (mlia_str_equal_c(member->key, "components"))
        return read_components(reader, member, &component->components);
    return at_member(
        mlia_error(MLIA_E_PROFILE, "unknown key '%.*s' of a component", MLIA_STR_ARG(member->key)), member);
}

/* The depth is limited by the TOML reader. */
static mlia_status *read_components(profile_reader *reader, const mlia_toml_member *member,
                                    mlia_components *list)
{
    const mlia_toml *array = member->value;
    if (array->type != MLIA_TOML_ARRAY || array->count == 0)
        return wrong_type(member, "a non-empty array of tables");
    for (size_t i = 0; i < array->count; i++) {
        const mlia_toml *table = array->items[i];
        mlia_component component = {0};
        if (table->type != MLIA_TOML_TABLE)
            return wrong_type(member, "a non-empty array of tables");
        for (size_t k = 0; k < table->count; k++)
            MLIA_TRY(read_component_member(reader, &table->members[k], &component));
        if (component.type == MLIA_COMPONENT_NONE || component.family.size == 0)
            return mlia_status_at_line(mlia_error(MLIA_E_PROFILE, "a component needs 'type' and 'family'"),
                                       table->line, table->column);
        if (!MLIA_APPEND(reader->arena, *list, component))
            return mlia_error_memory();
    }
    return NULL;
}

static mlia_status *read_profile_components(profile_reader *reader, const mlia_toml_member *member)
{
    return read_components(reader, member, &reader->profile->components);
}

/* [config.backend.ID], in older files [backend.ID]. */
static mlia_status *read_backends(profile_reader *reader, const mlia_toml_member *member)
{
    const mlia_toml *table = member->value;
    if (table->type != MLIA_TOML_TABLE)
        return wrong_type(member, "a table");
    for (size_t i = 0; i < table->count; i++) {
        const mlia_toml_member *entry = &table->members[i];
        if (entry->value->type != MLIA_TOML_TABLE)
            return wrong_type(entry, "a table");
        for (size_t k = 0; k < reader->profile->backends.count; k++)
            if (mlia_str_equal(reader->profile->backends.items[k].id, entry->key))
                return at_member(
                    mlia_error(MLIA_E_PROFILE,
                               "backend '%.*s' is configured twice, under 'config.backend' and 'backend'",
                               MLIA_STR_ARG(entry->key)),
                    entry);
        if (!MLIA_APPEND(reader->arena, reader->profile->backends,
                         (mlia_profile_backend){entry->key, entry->value, entry->line, entry->column}))
            return mlia_error_memory();
    }
    return NULL;
}

static mlia_status *read_config(profile_reader *reader, const mlia_toml_member *member)
{
    const mlia_toml *table = member->value;
    if (table->type != MLIA_TOML_TABLE)
        return wrong_type(member, "a table");
    for (size_t i = 0; i < table->count; i++) {
        if (!mlia_str_equal_c(table->members[i].key, "backend"))
            return at_member(mlia_error(MLIA_E_PROFILE,
                                        "unknown key 'config.%.*s'; 'config.backend.ID' holds options",
                                        MLIA_STR_ARG(table->members[i].key)),
                             &table->members[i]);
        MLIA_TRY(read_backends(reader, &table->members[i]));
    }
    return NULL;
}

static const struct {
    mlia_str key;
    mlia_status *(*read)(profile_reader *reader, const mlia_toml_member *member);
} keys[] = {
    {MLIA_STR_INIT("profile_name"), read_name},
    {MLIA_STR_INIT("target_type"), read_target},
    {MLIA_STR_INIT("target"), read_target}, /* older files */
    {MLIA_STR_INIT("description"), read_description},
    {MLIA_STR_INIT("components"), read_profile_components},
    {MLIA_STR_INIT("config"), read_config},
    {MLIA_STR_INIT("backend"), read_backends}, /* older files */
};

static mlia_status *read_member(profile_reader *reader, const mlia_toml_member *member)
{
    mlia_suggestion near = mlia_suggest(member->key);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (mlia_str_equal(member->key, keys[i].key))
            return keys[i].read(reader, member);
        mlia_suggest_among(&near, keys[i].key);
    }
    mlia_str found = mlia_suggest_found(&near);
    return at_member(mlia_error(MLIA_E_PROFILE, "unknown key '%.*s'" MLIA_SUGGESTION,
                                MLIA_STR_ARG(member->key), MLIA_SUGGESTION_ARG(found)),
                     member);
}

static mlia_status *check_complete(profile_reader *reader)
{
    mlia_profile *profile = reader->profile;
    if (profile->name.size == 0)
        return mlia_error(MLIA_E_PROFILE, "the key 'profile_name' is missing");
    if (profile->target == NULL)
        return mlia_error(MLIA_E_PROFILE, "the key 'target_type' is missing");
    if (profile->components.count == 0 &&
        !MLIA_APPEND(reader->arena, profile->components, profile->target->component))
        return mlia_error_memory();
    return NULL;
}

static mlia_status *read_profile(profile_reader *reader, mlia_str text)
{
    mlia_toml *root;
    MLIA_TRY(mlia_toml_read(reader->arena, text, MLIA_E_PROFILE, &root));
    for (size_t i = 0; i < root->count; i++)
        MLIA_TRY(read_member(reader, &root->members[i]));
    return check_complete(reader);
}

mlia_status *mlia_profile_read(mlia_arena *arena, mlia_str text, mlia_str source, mlia_profile *profile)
{
    *profile = (mlia_profile){.source = source};
    size_t slash = mlia_str_find_last(source, '/');
    if (slash != SIZE_MAX)
        profile->folder = mlia_str_slice(source, 0, slash == 0 ? 1 : slash);
    profile_reader reader = {arena, profile};
    return mlia_status_path(read_profile(&reader, text), source);
}
